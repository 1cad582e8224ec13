// What a hook comes to, and how each client is told. The only place that knows the clients' forms of an answer.
import type { JsonObject } from '../json/json.js';
import { CLIENTS, type Hook, type HookClient } from './clients.js';

export interface HookVerdict {
  /**
   * begin: the session is known; `text` is its context. go_on: the stop is refused; `text` is what to do.
   * end: it may stop; `text` is a notice for people. waiting: the same stop may be asked about again, nothing was noted.
   * allow, deny: the tool may or may not be used; `text` says why not and what to do.
   */
  readonly verdict: 'begin' | 'go_on' | 'end' | 'waiting' | 'allow' | 'deny';
  readonly text: string | null;
  /** Variables that say who the session is, for the commands that it runs; only where it begins. */
  readonly environment?: Readonly<Record<string, string>>;
}

const VERDICTS: Readonly<Record<Hook, readonly string[]>> = {
  'session-start': ['begin'],
  stop: ['go_on', 'end', 'waiting'],
  'subagent-stop': ['go_on', 'end'],
  'pre-tool-use': ['allow', 'deny'],
  'session-end': ['end'],
};

/** Whether a hook can come to this: what comes over a wire may be anything. */
export function isVerdictOf(hook: Hook, { verdict }: HookVerdict): boolean {
  return VERDICTS[hook].includes(verdict);
}

/** The session may stop; people are told `notice`. */
export function mayEnd(notice: string | null): HookVerdict {
  return { verdict: 'end', text: notice };
}

/** The stop is refused: `reason` is the agent's next instruction. */
export function goOn(reason: string): HookVerdict {
  return { verdict: 'go_on', text: reason };
}

/** The answer in the client's own form, for its hook. */
export function answerForm(client: HookClient, hook: Hook, told: HookVerdict): JsonObject {
  const { verdict, text } = told;
  if (client === 'opencode') return pluginForm(told);
  switch (verdict) {
    case 'begin':
      return text === null ? {} : specific(client, hook, { additionalContext: text });
    case 'go_on':
      return { decision: client === 'gemini' ? 'deny' : 'block', reason: text ?? '' };
    case 'end':
    case 'waiting':
      return text === null ? {} : { systemMessage: text };
    case 'allow': // what the client itself thinks of the tool still counts
      return {};
    case 'deny':
      return client === 'gemini'
        ? { decision: 'deny', reason: text ?? '' }
        : specific(client, hook, { permissionDecision: 'deny', permissionDecisionReason: text ?? '' });
  }
}

/** What our own plugin for opencode takes. Variables go to the commands of the session from there, and into no file. */
function pluginForm({ verdict, text, environment }: HookVerdict): JsonObject {
  switch (verdict) {
    case 'begin':
      return { ...(text === null ? {} : { context: text }), environment: { ...environment } };
    case 'go_on':
      return { decision: 'block', reason: text ?? '' };
    case 'end':
    case 'waiting':
      return text === null ? {} : { systemMessage: text };
    case 'allow':
    case 'deny':
      return { decision: verdict, ...(text === null ? {} : { reason: text }) };
  }
}

function specific(client: HookClient, hook: Hook, members: JsonObject): JsonObject {
  return { hookSpecificOutput: { hookEventName: CLIENTS[client].events[hook] ?? '', ...members } };
}
