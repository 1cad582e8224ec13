// The results of hooks, and their form for each client. The only place that knows the clients' answer formats.
import type { JsonObject } from '../json/json.js';
import { CLIENTS, type Hook, type HookClient } from './clients.js';

export interface HookVerdict {
  /**
   * begin: the session is known; `text` is its context. go_on: the stop is refused; `text` is the next
   * instruction. end: the session may stop; `text` is a notice for people. waiting: the client may ask about
   * the same stop again, and nothing was recorded. allow, deny: whether the tool may be used; `text` is the
   * reason and what to do.
   */
  readonly verdict: 'begin' | 'go_on' | 'end' | 'waiting' | 'allow' | 'deny';
  readonly text: string | null;
  /** Variables that identify the session to the commands that it runs. Set only with `begin`. */
  readonly environment?: Readonly<Record<string, string>>;
}

const VERDICTS: Readonly<Record<Hook, readonly string[]>> = {
  'session-start': ['begin'],
  stop: ['go_on', 'end', 'waiting'],
  'subagent-stop': ['go_on', 'end'],
  'pre-tool-use': ['allow', 'deny'],
  'session-end': ['end'],
};

/** True if the hook can have this result. Checks results that arrive over the network. */
export function isVerdictOf(hook: Hook, { verdict }: HookVerdict): boolean {
  return VERDICTS[hook].includes(verdict);
}

/** The session may stop. People see `notice`. */
export function mayEnd(notice: string | null): HookVerdict {
  return { verdict: 'end', text: notice };
}

/** The stop is refused. `reason` is the agent's next instruction. */
export function goOn(reason: string): HookVerdict {
  return { verdict: 'go_on', text: reason };
}

/** The result in the client's own format, for its hook. */
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
    case 'allow': // the client's own permission check still applies
      return {};
    case 'deny':
      return client === 'gemini'
        ? { decision: 'deny', reason: text ?? '' }
        : specific(client, hook, { permissionDecision: 'deny', permissionDecisionReason: text ?? '' });
  }
}

/**
 * The format of our own plugin for opencode. The plugin passes the variables to the commands of the session and
 * writes them to no file.
 */
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
