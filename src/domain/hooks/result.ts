// The results of hooks. Their format for each client is in agent-clients.
import type { Hook } from './clients.js';

export interface HookResult {
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

const VERDICTS_OF_HOOK: Readonly<Record<Hook, readonly string[]>> = {
  'session-start': ['begin'],
  stop: ['go_on', 'end', 'waiting'],
  'subagent-stop': ['go_on', 'end'],
  'pre-tool-use': ['allow', 'deny'],
  'session-end': ['end'],
};

/** True if the hook can have this result. Checks results that arrive over the network. */
export function isResultOf(
  hook: Hook,
  { verdict, text }: Readonly<Record<'verdict' | 'text', unknown>>,
): boolean {
  return VERDICTS_OF_HOOK[hook].some((one) => one === verdict) && (text === null || typeof text === 'string');
}

/** The session may stop. People see `notice`. */
export function mayEnd(notice: string | null): HookResult {
  return { verdict: 'end', text: notice };
}

/** The stop is refused. `reason` is the agent's next instruction. */
export function goOn(reason: string): HookResult {
  return { verdict: 'go_on', text: reason };
}
