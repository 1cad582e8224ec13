// The answer format that Claude Code introduced and other clients share, except where they refuse.
import type { HookResult } from '../../domain/hooks/result.js';
import type { Hook } from '../../domain/hooks/clients.js';
import type { JsonObject } from '../../domain/json/json.js';
import type { ClientHooks, HookEventNames } from './client-hooks.js';

/** How a client is told that a stop is refused, and that a tool may not be used. */
interface RefusalForms {
  readonly stop: (reason: string) => JsonObject;
  readonly tool: (reason: string, eventName: string) => JsonObject;
}

/** The events of Claude Code. */
export const EVENTS: HookEventNames = {
  'session-start': 'SessionStart',
  stop: 'Stop',
  'subagent-stop': 'SubagentStop',
  'pre-tool-use': 'PreToolUse',
  'session-end': 'SessionEnd',
};

/** The forms of Claude Code. */
export const BLOCKS: RefusalForms = {
  stop: (reason) => ({ decision: 'block', reason }),
  tool: (reason, eventName) =>
    specific(eventName, { permissionDecision: 'deny', permissionDecisionReason: reason }),
};

/** Writes the answers of a client with these events. */
export function answersWith(events: HookEventNames, refusals: RefusalForms): ClientHooks['answer'] {
  return (hook: Hook, { verdict, text }: HookResult): JsonObject => {
    const eventName = events[hook] ?? '';
    switch (verdict) {
      case 'begin':
        return text === null ? {} : specific(eventName, { additionalContext: text });
      case 'go_on':
        return refusals.stop(text ?? '');
      case 'end':
      case 'waiting':
        return text === null ? {} : { systemMessage: text };
      case 'allow': // the client's own permission check still applies
        return {};
      case 'deny':
        return refusals.tool(text ?? '', eventName);
    }
  };
}

function specific(hookEventName: string, members: JsonObject): JsonObject {
  return { hookSpecificOutput: { hookEventName, ...members } };
}
