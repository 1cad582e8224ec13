// What is written into a client's settings: which of its events runs which command, and for how long.
import { CLIENTS, type Hook, type HookClient } from '../../domain/hooks/clients.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';

export interface HookEntry {
  /** The client's name of the event. */
  readonly event: string;
  /** Where the client wants to be told that it is every tool. */
  readonly matcher: string | null;
  readonly command: string;
  /** After so long the client gives the command up, milliseconds. */
  readonly timeoutMs: number;
  /** It runs beside the idle session, and wakes it. */
  readonly wakes?: boolean;
}

export interface Wished {
  readonly client: HookClient;
  /** The gate before a tool too. */
  readonly gate: boolean;
  /** Types of sub-agents that count as children; none for no hook of sub-agents. */
  readonly agents: readonly string[];
  /** How long a stop may wait for callbacks, milliseconds; where absent, a client that can be woken is, and does not wait. */
  readonly waitMs: number | undefined;
  /** Where the coordinator is, where the environment of the client does not say so. */
  readonly url: string | undefined;
}

/** Beside the wait: to start, to ask, and to ask again. */
const SLACK_MS = 60_000;
const START_MS = 30_000;
const GATE_MS = 30_000;
const END_MS = 10_000;

/** The entries, in the order of the hooks; without those that the client does not have. */
export function entriesFor(wished: Wished): readonly HookEntry[] {
  const { client, agents, gate } = wished;
  const wakes = wished.waitMs === undefined && client === 'claude-code';
  const waitMs = wished.waitMs ?? (wakes ? 0 : DEFAULT_LIMITS.hookWaitMs);
  const wait = `--wait ${String(Math.ceil(waitMs / 1000))}s`;
  return [
    ...entry(wished, 'session-start', '', START_MS),
    ...entry(wished, 'stop', ` ${wait}`, waitMs + SLACK_MS),
    ...(wakes ? [wakeEntry(wished)] : []),
    ...(agents.length === 0 ? [] : entry(wished, 'subagent-stop', ` --agents ${agents.join(' ')}`, SLACK_MS)),
    // Clients take a command that cannot be run for leave; 2 is what they take for no.
    ...entry(wished, 'session-end', '', END_MS),
    ...(gate ? entry(wished, 'pre-tool-use', ' || exit 2', GATE_MS, EVERY_TOOL[client]) : []),
  ];
}

const EVERY_TOOL: Readonly<Record<HookClient, string>> = {
  'claude-code': '*',
  codex: '.*',
  gemini: '.*',
  opencode: '',
};

function wakeEntry({ client, url }: Wished): HookEntry {
  const where = url === undefined ? '' : ` --url ${url}`;
  const command = `countersign hook wake --client ${client}${where}`;
  const timeoutMs = DEFAULT_LIMITS.hookWakeMs + SLACK_MS;
  return { event: CLIENTS[client].events.stop ?? '', matcher: null, command, timeoutMs, wakes: true };
}

function entry(
  { client, url }: Wished,
  hook: Hook,
  rest: string,
  timeoutMs: number,
  matcher: string | null = null,
): readonly HookEntry[] {
  const event = CLIENTS[client].events[hook];
  if (event === undefined) return [];
  const where = url === undefined ? '' : ` --url ${url}`;
  const command = `countersign hook ${hook} --client ${client}${where}${rest}`;
  return [{ event, matcher, command, timeoutMs }];
}

/** Tells our commands from those of others. */
export function isOurs(command: unknown): boolean {
  return (
    typeof command === 'string' &&
    /(^|[\s/\\"'])countersign(\.js)?["']? hook (session-start|stop|wake|subagent-stop|pre-tool-use|session-end)\b/.test(
      command,
    )
  );
}
