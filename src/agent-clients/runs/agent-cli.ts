// The interface between the runner and an agent's CLI: how to call it, and how to read its stream of JSON lines.
// Pure. Processes, private files, stops and results are the same for all of them: see runner/agent. The tests
// replay recorded output of the real programs: see test/runner/clients.
import type { McpServer } from '../../domain/agents/blueprint.js';
import type { ReservedFlag } from '../../domain/agents/reserved-flags.js';
import type { JsonObject, JsonValue } from '../../domain/json/json.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import type { FailureCause, RunPurpose } from '../../domain/records/records.js';

/**
 * Name of the MCP server with the state tools in a run. It differs from the name of a user's own entry
 * (`countersign`): clients merge entries of the same name, and the user's entry may have another identity.
 */
export const MCP_SERVER = 'countersign_run';
/** The command that replaces the tools where a client has none. */
export const COMMAND = 'countersign';
/** How long a client waits for the tools, milliseconds. A run without them is lost. */
export const TOOLS_WAIT_MS = DEFAULT_LIMITS.agentToolsWaitMs;

/** Settings of a client, from the runner or from a named agent. */
export interface AgentSettings {
  /** Model name as the client knows it; `null` for the client's default. */
  readonly model: string | null;
  /** Appended to the client's own system prompt. */
  readonly systemPrompt: string | null;
  /** Further arguments, passed unchanged: permissions, sandboxes, whatever the client accepts. */
  readonly args: readonly string[];
  /** Servers in addition to the state tools. */
  readonly mcpServers?: Readonly<Record<string, McpServer>>;
}

/** One run, as input of the client's invocation. */
export interface AgentCall {
  readonly prompt: string;
  readonly purpose: RunPurpose;
  /** Id of the conversation: an existing one if `resumes`, else a new one, for clients that accept an id. */
  readonly conversationId: string;
  readonly resumes: boolean;
  readonly settings: AgentSettings;
  /** Schema for the client's final answer; the client then gets no state tools. `null` if it gets the tools. */
  readonly outputSchema: JsonObject | null;
  /** URL of the state tools, and the bearer token that identifies the run. */
  readonly mcp: { readonly url: string; readonly token: string };
  /**
   * Variables that identify the caller for the commands of the run. The client's own settings must not override
   * them.
   */
  readonly identity: Readonly<Record<string, string>>;
  /** Servers in the client's own configuration, for clients that merge these with the servers of the run. */
  readonly configuredServers: readonly ConfiguredServer[];
  /** A folder that only the owner can read and that is removed after the run. */
  readonly folder: string;
}

/** A home directory for one run: the user's own with other settings. See runner/agent/run-home.ts. */
export interface RunHome {
  /** The environment variable that points the client to it. */
  readonly variable: string;
  /** The client's folder in a home. */
  readonly folder: string;
  /** The client's settings file (JSON): the user's settings merged with `settings`. */
  readonly settingsFile: string;
  readonly settings: JsonObject;
  /** Further text files in this folder, by name. */
  readonly texts: Readonly<Record<string, string>>;
  /** Folders of the user's home that are created if missing, so that what the client writes there is kept. */
  readonly kept: readonly string[];
  /** Files that are not shared with the user's home. */
  readonly own: readonly string[];
}

/** An MCP server in the configuration of the user or of the project. */
export interface ConfiguredServer {
  readonly name: string;
  /** The configured entry. */
  readonly entry: JsonValue;
}

/**
 * How to find the servers in a client's configuration: from the output of one of its commands, or from a file of
 * the project.
 */
export type ServerDiscovery = {
  /** @returns `null` if the text cannot be parsed. */
  readonly read: (text: string) => readonly ConfiguredServer[] | null;
} & ({ readonly args: readonly string[] } | { readonly file: string });

/** How to start the client for one run. */
export interface Invocation {
  readonly args: readonly string[];
  /** Complete standard input. */
  readonly input: string;
  /** Files of the call's folder, by name; written before the program starts. */
  readonly files: Readonly<Record<string, JsonValue>>;
  /** Variables in addition to those of the run; `null` removes one. */
  readonly environment: Readonly<Record<string, string | null>>;
  /** For a client that reads its settings only from a home. */
  readonly home?: RunHome;
  /** Absolute path of the log file that the client writes, for `readLog`. */
  readonly log?: string;
}

/** The end of the turn according to the stream. */
export type ReportedEnd =
  | { readonly kind: 'completed' }
  | { readonly kind: 'failed'; readonly error: string; readonly cause: FailureCause };

/** What is known from the stream so far. */
export interface Seen {
  /** The client's own id of the conversation; `null` until the stream names it. */
  readonly conversationId: string | null;
  /**
   * missing: the client runs, or would run, without the state tools. away: they were missing at the last report,
   * and may still appear; at the end of the process this counts as missing.
   */
  readonly tools: 'unknown' | 'there' | 'away' | 'missing';
  /** The last call of a state tool, for clients whose results name only the call id. */
  readonly callId?: string;
  /** The conversation to resume does not exist. */
  readonly isGone?: true;
  /** Last text of the agent. */
  readonly text: string | null;
  /** The final answer under an output schema, if the client reports it separately from the text. */
  readonly value?: JsonValue;
  /** For clients that stream a text in parts: the next part begins a new text. */
  readonly textEnded?: boolean;
  /** See `Usage`; `null` if not reported. For a run that was ended early: what was reported until then. */
  readonly usage: Usage | null;
  /** For clients that stream a message in parts, each with the usage of the whole: the message already counted. */
  readonly messageId?: string | null;
  /** Only the stream decides, because exit codes of clients mislead. `null` if the stream has not named an end. */
  readonly end: ReportedEnd | null;
}

export const NOTHING_SEEN: Seen = {
  conversationId: null,
  tools: 'unknown',
  text: null,
  usage: null,
  end: null,
};

/**
 * What a run used. A value that the client does not report is absent, except the duration, which the runner then
 * measures.
 */
export interface Usage extends JsonObject {
  readonly input_tokens?: number;
  readonly cached_input_tokens?: number;
  readonly output_tokens?: number;
  readonly turns?: number;
  readonly duration_ms?: number;
  readonly cost_usd?: number;
  /** The tokens are those of the whole conversation, because the total before this run is unknown. */
  readonly whole_conversation?: true;
}

/** How the process ended, for what a client reports only there. */
export interface CliEnd {
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
  /** The last part of each stream, bounded. */
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * The schemas that a client can enforce. object: any schema of an object. strict: only schemas whose objects are
 * closed and whose members are all required; for others the value is requested as JSON text.
 */
export type OutputForm = 'object' | 'strict';

/** The command line and the stream of one client. */
export interface CommandLine {
  /** Name of the program, looked up in PATH. */
  readonly program: string;
  /** Flags that the runner sets itself, so that users may not. */
  readonly reservedFlags: readonly ReservedFlag[];
  /** The form of output schema that the client can enforce; `null` if it enforces none. */
  readonly outputForm: OutputForm | null;
  /** The tokens in its stream are the total of the whole conversation. */
  readonly usageSums?: true;
  readonly discovery?: ServerDiscovery;
  readonly invoke: (call: AgentCall) => Invocation;
  /** @param event - One line of standard output that is a JSON object, oldest first. */
  readonly read: (seen: Seen, event: JsonObject) => Seen;
  /** @param line - One line of standard error, for what a client reports only there. */
  readonly readError?: (seen: Seen, line: string, call: Pick<AgentCall, 'settings'>) => Seen;
  /** @param line - One line of the log file that the invocation names. */
  readonly readLog?: (seen: Seen, line: string) => Seen;
  /** Adds what only the end of the process reveals. Called only if the stream did not report an end. */
  readonly readEnd: (seen: Seen, end: CliEnd) => Seen;
}

/** What the runner needs of a client. */
export interface AgentCli extends CommandLine {
  /** Name of the client in messages. */
  readonly title: string;
}

/** A row of a table of flags, with or without a value. A value of `null` omits the flag. */
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
