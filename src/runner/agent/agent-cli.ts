// What the CLI of an agent is to the runner: how it is called, and how its stream of JSON lines is read. Pure.
// Processes, private files, ends from outside and verdicts are the same for all of them: see agent-executor.ts.
//
// A further client is one file in `clients/` that exports an `AgentCli` (a table of flags for `argsOf`, `invoke`, `read`)
// one line in `clients/index.ts` and one in `ports/executor-types.ts`. Its tests replay what the real program printed: see test/runner/clients.
import type { McpServer } from '../../domain/agents/blueprint.js';
import type { JsonObject, JsonValue } from '../../domain/json/json.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import type { FailureCause } from '../../domain/records/records.js';
import type { OutputForm } from './output-schema.js';
import type { ClaimedRun } from '../../ports/api/index.js';
import type { ExecutorType } from '../../ports/executor-types.js';

/**
 * Name under which every client gets the tools of the state in a run. Not that of the entry that people make by hand
 * (`countersign`): clients put entries of one name together, and that one may speak for somebody else.
 */
export const MCP_SERVER = 'countersign_run';
/** The command that stands in for the tools. */
export const COMMAND = 'countersign';
/** How long a client waits for the tools to come, milliseconds: a run without them is lost. */
export const TOOLS_WAIT_MS = DEFAULT_LIMITS.agentToolsWaitMs;

/** What a runner, or an agent's description, says of how a client is to work. */
export interface AgentSettings {
  /** In the client's own words; `null` for what the client takes by itself. */
  readonly model: string | null;
  /** Added to the client's own. */
  readonly systemPrompt: string | null;
  /** Further arguments, as they are: permissions, sandboxes, whatever the client knows. */
  readonly args: readonly string[];
  /** Beside the tools of the state. */
  readonly mcpServers?: Readonly<Record<string, McpServer>>;
}

/** One run, as the client has to be called for it. */
export interface AgentCall {
  readonly prompt: string;
  readonly purpose: ClaimedRun['purpose'];
  /** The conversation: to go on with where `resumes`, else an id for a new one, for clients that let it be chosen. */
  readonly conversationId: string;
  readonly resumes: boolean;
  readonly settings: AgentSettings;
  /**
   * Schema that the client has to be held to in its final answer; then it gets no tools of the state. `null` where it
   * gets them.
   */
  readonly outputSchema: JsonObject | null;
  /** Where the tools of the state are, and the bearer token that says who asks. */
  readonly mcp: { readonly url: string; readonly token: string };
  /** What says to the commands of the run who asks; the client's own settings may not say otherwise. */
  readonly identity: Readonly<Record<string, string>>;
  /** Servers that the client finds by itself, of clients that join them with those of the run. */
  readonly found: readonly FoundServer[];
  /** A folder that nobody else can read, and that is gone after the run. */
  readonly folder: string;
}

/** A home for one run: all that the user's own has, with other settings. See stand-in-home.ts. */
export interface StandInHome {
  /** Variable by which the client is told of it. */
  readonly variable: string;
  /** The client's folder in a home. */
  readonly folder: string;
  /** Its file of settings, as JSON: the user's own, with these members in them. */
  readonly settingsFile: string;
  readonly settings: JsonObject;
  /** Texts that stand beside it, by name. */
  readonly texts: Readonly<Record<string, string>>;
  /** Folders of the user's that have to be there: what is put into them stays. */
  readonly kept: readonly string[];
  /** Files that are not shared with the user's. */
  readonly own: readonly string[];
}

/** An MCP server in the configuration of the user or of the project. */
export interface FoundServer {
  readonly name: string;
  /** As it is configured. */
  readonly entry: JsonValue;
}

/** Where it is seen which servers a client finds by itself: what a command of it prints, or a file of the project. */
export type Findings = {
  /** @returns `null` for what cannot be understood. */
  readonly read: (text: string) => readonly FoundServer[] | null;
} & ({ readonly args: readonly string[] } | { readonly file: string });

export interface Invocation {
  readonly args: readonly string[];
  /** Standard input, to its end. */
  readonly input: string;
  /** Files of the call's folder, by name; they are there before the program starts. */
  readonly files: Readonly<Record<string, JsonValue>>;
  /** Variables beside those of the run; `null` takes one away. */
  readonly environment: Readonly<Record<string, string | null>>;
  /** For a client that takes its settings from a home alone. */
  readonly home?: StandInHome;
  /** A file that the client writes its log to, for `readLog`; absolute. */
  readonly log?: string;
}

/** How the stream says that the turn ended. */
export type ToldEnd =
  | { readonly kind: 'completed' }
  | { readonly kind: 'failed'; readonly error: string; readonly cause: FailureCause };

/** What is known from the stream so far. */
export interface Seen {
  /** The client's own id of the conversation; `null` before it said so. */
  readonly conversationId: string | null;
  /**
   * missing: the client runs, or would run, without the tools of the state. away: it did when that was told last, and may
   * get them yet; at its end that is the same.
   */
  readonly tools: 'unknown' | 'there' | 'away' | 'missing';
  /** The last call of one of these tools, for clients that tell its answer under an id alone. */
  readonly callId?: string;
  /** There is no conversation to go on with. */
  readonly isGone?: true;
  /** What the agent said last. */
  readonly text: string | null;
  /** The answer that a client was held to, where it tells it apart from its text. */
  readonly value?: JsonValue;
  /** For clients that tell a text in parts: what comes next is another one. */
  readonly textEnded?: boolean;
  /** See `Usage`; `null` where nothing was told. Of a run that did not end by itself, what had been told until then. */
  readonly usage: Usage | null;
  /** For clients that tell a message in parts, each with the usage of the whole: the one whose usage counts already. */
  readonly messageId?: string | null;
  /** Exit codes of clients mislead: only what the stream says counts. `null` while it says nothing. */
  readonly end: ToldEnd | null;
}

export const NOTHING_SEEN: Seen = {
  conversationId: null,
  tools: 'unknown',
  text: null,
  usage: null,
  end: null,
};

/** What a run spent; what a client does not tell is not there, but for the duration, which the runner measures then. */
export interface Usage extends JsonObject {
  readonly input_tokens?: number;
  readonly cached_input_tokens?: number;
  readonly output_tokens?: number;
  readonly turns?: number;
  readonly duration_ms?: number;
  readonly cost_usd?: number;
  /** The tokens are those of the whole conversation, since what came before this run is not known. */
  readonly whole_conversation?: true;
}

/** How the process ended, for what a client says only there. */
export interface CliEnd {
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
  /** Their ends, bounded. */
  readonly stdout: string;
  readonly stderr: string;
}

export interface AgentCli {
  readonly type: ExecutorType;
  /** What people call it. */
  readonly title: string;
  /** Name of the program, looked for in the path. */
  readonly program: string;
  /** Which schemas its final answer can be held to; `null` where it cannot be held to any. */
  readonly outputForm: OutputForm | null;
  /** The tokens that its stream tells are the sum over the whole conversation. */
  readonly usageSums?: true;
  readonly findings?: Findings;
  readonly invoke: (call: AgentCall) => Invocation;
  /** @param event - One line of standard output that is a JSON object, oldest first. */
  readonly read: (seen: Seen, event: JsonObject) => Seen;
  /** @param line - One line of standard error, for what a client tells only there. */
  readonly readError?: (seen: Seen, line: string, call: Pick<AgentCall, 'settings'>) => Seen;
  /** @param line - One line of the log that the invocation has asked for. */
  readonly readLog?: (seen: Seen, line: string) => Seen;
  /** Adds what only the end of the process says. Asked only where the stream did not tell its end. */
  readonly readEnd: (seen: Seen, end: CliEnd) => Seen;
}

/** A row of a table of flags: always, or with a value where the call gives one. `null` leaves the flag out. */
export type Flag = readonly [flag: string, value?: (call: AgentCall) => string | null];

/** The further servers as JSON: `type`, then `url` and `headers`, or `command`, `args` and `env`. */
export function serversOf({ mcpServers = {} }: AgentSettings): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    Object.entries(mcpServers).map(([name, server]): [string, JsonObject] => [
      name,
      server.type === 'http'
        ? { type: 'http', url: server.url, headers: server.headers ?? {} }
        : { type: 'stdio', command: server.command, args: server.args ?? [], env: server.env ?? {} },
    ]),
  );
}

export function argsOf(flags: readonly Flag[], call: AgentCall): string[] {
  return flags.flatMap(([flag, value]) => {
    if (value === undefined) return [flag];
    const given = value(call);
    return given === null ? [] : [flag, given];
  });
}
