// The hook entries that are written into a client's settings: event, command and time limit.
import { agentClient } from '../../agent-clients/index.js';
import type { AgentClientName } from '../../agent-clients/names.js';
import type { Hook } from '../../domain/hooks/clients.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';

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

export interface Wished {
  readonly client: AgentClientName;
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

/** Added to the wait, for starting, asking and asking again. */
const SLACK_MS = 60_000;
const START_MS = 30_000;
const GATE_MS = 30_000;
const END_MS = 10_000;
/** Codex gives a hook of this event 3 s at most, and computes the hash of a trusted hook with that. */
const CODEX_END_MS = 3_000;

/** The entries, in the order of the hooks, without hooks that the client does not support. */
export function entriesFor(wished: Wished): readonly HookEntry[] {
  const { client, agents, gate } = wished;
  const wakes = wished.waitMs === undefined && client === 'claude-code';
  const waitMs = wished.waitMs ?? (wakes ? 0 : DEFAULT_LIMITS.hookWaitMs);
  const wait = `--wait ${String(Math.ceil(waitMs / 1000))}s`;
  return [
    ...entry(wished, 'session-start', '', START_MS),
    ...entry(wished, 'stop', ` ${wait}`, waitMs + SLACK_MS),
    ...(wakes ? [wakeEntry(wished)] : []),
    ...(waitMs > 0 ? awaitedEntry(wished) : []),
    ...(agents.length === 0 ? [] : entry(wished, 'subagent-stop', ` --agents ${agents.join(' ')}`, SLACK_MS)),
    ...entry(wished, 'session-end', '', client === 'codex' ? CODEX_END_MS : END_MS),
    // A client treats a command that cannot be run as permission, and exit code 2 as a denial.
    ...(gate ? entry(wished, 'pre-tool-use', ' || exit 2', GATE_MS, EVERY_TOOL[client]) : []),
  ];
}

const EVERY_TOOL: Readonly<Record<AgentClientName, string>> = {
  'claude-code': '*',
  codex: '.*',
  gemini: '.*',
  opencode: '',
};

function wakeEntry({ client, url }: Wished): HookEntry {
  const where = url === undefined ? '' : ` --url ${url}`;
  const command = `countersign hook wake --client ${client}${where}`;
  const timeoutMs = DEFAULT_LIMITS.hookWakeMs + SLACK_MS;
  return {
    event: agentClient(client).hooks.events.stop ?? '',
    matcher: null,
    command,
    timeoutMs,
    wakes: true,
  };
}

/**
 * Where and when each client shows a notice of a hook. Claude Code shows it when that hook ends, while others go on; Codex
 * and Gemini CLI when all hooks of the event have ended, so that a stop is too late for them. opencode has its plugin.
 */
const AWAITED: Readonly<Record<AgentClientName, Pick<HookEntry, 'event' | 'matcher'> | null>> = {
  'claude-code': { event: 'Stop', matcher: null },
  codex: { event: 'PostToolUse', matcher: '^mcp__countersign__(start|resume)_agent_session$' },
  gemini: { event: 'AfterTool', matcher: '^mcp_countersign_(start|resume)_agent_session$' },
  opencode: null,
};

function awaitedEntry({ client, url }: Wished): readonly HookEntry[] {
  const place = AWAITED[client];
  const where = url === undefined ? '' : ` --url ${url}`;
  const command = `countersign hook awaited --client ${client}${where}`;
  return place === null ? [] : [{ ...place, command, timeoutMs: END_MS }];
}

function entry(
  { client, url }: Wished,
  hook: Hook,
  rest: string,
  timeoutMs: number,
  matcher: string | null = null,
): readonly HookEntry[] {
  const event = agentClient(client).hooks.events[hook];
  if (event === undefined) return [];
  const where = url === undefined ? '' : ` --url ${url}`;
  const command = `countersign hook ${hook} --client ${client}${where}${rest}`;
  return [{ event, matcher, command, timeoutMs }];
}

/** True for our own hook commands. */
export function isOurs(command: unknown): boolean {
  return (
    typeof command === 'string' &&
    /(^|[\s/\\"'])countersign(\.js)?["']? hook (session-start|stop|wake|awaited|subagent-stop|pre-tool-use|session-end)\b/.test(
      command,
    )
  );
}
