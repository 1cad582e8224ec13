// The hook entries that are written into a client's settings: event, command and time limit.
import type { Hook } from '../../domain/hooks/clients.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import type { HookEventNames } from '../hooks/client-hooks.js';
import { DENIES, hookCommand, type HookCommand } from './hook-commands.js';

/** One hook in the settings of a client. */
export interface HookEntry {
  /** The client's name of the event. */
  readonly event: string;
  /** For clients that need a matcher for "every tool"; otherwise `null`. */
  readonly matcher: string | null;
  readonly command: string;
  /** The client ends the command after this time, milliseconds. */
  readonly timeoutMs: number;
  /** The command runs in the background of an idle session and wakes it. */
  readonly wakes?: boolean;
}

/** What a client makes of hooks. */
export interface HookSettings {
  readonly events: HookEventNames;
  /** The matcher of every tool; `null` if the event needs none. */
  readonly everyTool: string | null;
  /** The client can run a command while it is idle, and go on with what the command prints. */
  readonly wakesWhenIdle: boolean;
  /** Where and when the client shows a message of a hook; `null` if it does not show it at an event. */
  readonly message: Pick<HookEntry, 'event' | 'matcher'> | null;
  /** The client ends the hook of the end of a session after this time, milliseconds. */
  readonly endMs: number;
}

interface WantedHooks {
  /** Name of the client in commands. */
  readonly client: string;
  /** Add the gate before each tool. */
  readonly gate: boolean;
  /** Types of sub-agents that count as children; empty for no sub-agent hook. */
  readonly agents: readonly string[];
  /**
   * How long a stop may wait for callbacks, milliseconds. If absent, a client that can be woken does not wait, and
   * others wait for `hookWaitMs`.
   */
  readonly waitMs: number | undefined;
  /** URL of the coordinator, if the client's environment does not name it. */
  readonly url: string | undefined;
}

// Our own limits are lower, so that people see what the hook says of a coordinator that does not answer.
/** Added to the wait, for starting, asking and asking again. */
const SLACK_MS = 3 * DEFAULT_LIMITS.hookAnswerMs;
const START_MS = DEFAULT_LIMITS.hookAnswerMs + 10_000;
const GATE_MS = 30_000;
/** The hook of the end of a session, and the message at a stop. */
export const END_MS = 10_000;

/** The entries, in the order of the hooks, without hooks that the client does not support. */
export function hookEntries(wanted: WantedHooks, settings: HookSettings): readonly HookEntry[] {
  const { agents, client, gate, url } = wanted;
  const wakes = wanted.waitMs === undefined && settings.wakesWhenIdle;
  const waitMs = wanted.waitMs ?? (wakes ? 0 : DEFAULT_LIMITS.hookWaitMs);
  const wait = `--wait ${String(Math.ceil(waitMs / 1000))}s`;
  const command = (hook: HookCommand, flags = '') => hookCommand(hook, client, url, flags);
  const entry = (hook: Hook, flags: string, timeoutMs: number, matcher: string | null = null) => {
    const event = settings.events[hook];
    return event === undefined ? [] : [{ event, matcher, command: command(hook, flags), timeoutMs }];
  };
  return [
    ...entry('session-start', '', START_MS),
    ...entry('stop', ` ${wait}`, waitMs + SLACK_MS),
    ...(wakes
      ? entry('stop', '', DEFAULT_LIMITS.hookWakeMs + SLACK_MS).map((stop) => ({
          ...stop,
          command: command('wake'),
          wakes,
        }))
      : []),
    ...(waitMs > 0 && settings.message !== null
      ? [{ ...settings.message, command: command('awaited'), timeoutMs: END_MS }]
      : []),
    ...(agents.length === 0 ? [] : entry('subagent-stop', ` --agents ${agents.join(' ')}`, SLACK_MS)),
    ...entry('session-end', '', settings.endMs),
    ...(gate ? entry('pre-tool-use', DENIES, GATE_MS, settings.everyTool) : []),
  ];
}
