// Commands that need more than a client. `main/` implements them; this module only describes their options.
import type { Limits } from '../domain/limits.js';
import type { Result } from '../domain/errors.js';
import type { JsonValue } from '../domain/json/json.js';
import type { Role } from '../domain/records/records.js';
import type { ExecutorType } from '../agent-clients/index.js';
import type { Containment } from '../ports/schema-engine.js';
import type { CliIo } from './io/io.js';
import type { DoctorReport } from '../ports/api/index.js';

type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

/** How a runner executes its runs. */
export interface ExecutionOptions {
  /** The first one executes runs that name no executor. */
  readonly executors: readonly ExecutorType[];
  /** Command line of the executor `command`; empty if that is not selected, or if named agents define their own. */
  readonly exec: string;
  /** Model of the agent CLIs; `null` for their default. */
  readonly agentModel: string | null;
  readonly agentArgs: readonly string[];
  /** How runs record their results if there is a contract. */
  readonly recordBy: 'tools' | 'output';
}

export interface ServeOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Path of a database file; the default one if absent. */
  readonly db: string | undefined;
  /** Every caller has to present a token. */
  readonly auth: boolean;
  /** Tokens of runs stay valid for their whole lifetime, also after the run. */
  readonly tokensOutliveRuns: boolean;
  /** A runner in the same process; `null` for none. */
  readonly runner: Pick<RunnerCommandOptions, 'execution' | 'projectDir' | 'concurrentMax'> | null;
  /** What prompts say about the workflow state. A session can turn off what is on. */
  readonly statePrompts: { readonly context: boolean; readonly summary: boolean };
  /** Folder of named agents, absolute path; `null` for none. */
  readonly agents: string | null;
  /** Allowed values of `Host`, in addition to those of the loopback. */
  readonly allowHosts: readonly string[];
  readonly allowOrigins: readonly string[];
  readonly logLevel: LogLevel;
  /** Changed limits of the service, by their names in `domain/limits.ts`. */
  readonly limits: Partial<Limits>;
  /** CIDR blocks that webhooks may reach besides public addresses; `private` for private, loopback, link-local ones. */
  readonly webhookAllow: readonly string[] | 'private';
}

export interface McpOptions {
  /** Of the coordinator. */
  readonly url: string;
  readonly token: string | undefined;
  readonly logLevel: LogLevel;
}

export interface RunnerCommandOptions extends McpOptions {
  readonly execution: ExecutionOptions;
  readonly hostname: string;
  /** Absolute path. */
  readonly projectDir: string;
  readonly tags: readonly string[];
  readonly concurrentMax: number;
}

export interface DemoOptions {
  /** Repository to work on, absolute path; `null` to create one. */
  readonly repo: string | null;
  /** Show the record of an orchestrator instead of the review. */
  readonly workflow: boolean;
  /** Show every step and the whole state. */
  readonly verbose: boolean;
  /** Keep everything running and on disk afterwards. */
  readonly keep: boolean;
  /** `null` for any free port. */
  readonly port: number | null;
}

/** These commands work on the database directly, because no token may exist yet that the service would accept. */
export interface TokenListOptions {
  readonly db: string | undefined;
  readonly json: boolean;
}

export interface TokenCreateOptions extends TokenListOptions {
  readonly name: string;
  readonly role: Role;
}

export interface TokenRevokeOptions extends TokenListOptions {
  /** Id or name. */
  readonly token: string;
}

export interface CopyDatabaseOptions {
  /** Path of a database file. */
  readonly from: string;
  /** `postgres://…` */
  readonly to: string;
  readonly json: boolean;
}

/** Result of comparing two schemas in both directions. */
export interface ComparedSchemas {
  /** Whether the second schema accepts everything that the first accepts. */
  readonly backward: Containment;
  /** Whether the first schema accepts everything that the second accepts. */
  readonly forward: Containment;
}

/** What `countersign verify` verifies. */
export interface VerifyOptions {
  readonly db: string | undefined;
  /** Only this state; `null` for all. */
  readonly stateId: string | null;
  /** Hash of an event that has to be there. */
  readonly expectedHead: string | null;
  /** An export, in place of a database. */
  readonly file: { readonly name: string; readonly content: JsonValue } | null;
}

/** The result of `countersign verify`. */
export interface Verification {
  readonly holds: boolean;
  readonly states: number;
  readonly events: number;
  readonly unsigned_events: number;
  readonly signatures: 'checked' | 'not_checked' | 'none';
  readonly tampered_states: number;
  /** The first record of each state that fails verification; `version` is `null` for its head. */
  readonly tampered: readonly {
    readonly state_id: string;
    readonly version: number | null;
    readonly what: string;
  }[];
  readonly expected_head_found: boolean | null;
}

export interface BackupOptions {
  readonly db: string | undefined;
  /** The new file. */
  readonly file: string;
}

export interface BackedUp {
  readonly db: string;
  readonly file: string;
}

export interface RestoreOptions {
  /** The backup. */
  readonly file: string;
  /** The new database. */
  readonly db: string;
}

export interface Restored extends Pick<Verification, 'states' | 'events' | 'signatures'> {
  readonly file: string;
  readonly db: string;
}

/** Told how much of the work is done, from 0 to 1. */
export type Progress = (done: number) => void;

type Wired<O> = (options: O, io: CliIo) => Promise<number>;

/** Each command resolves to its exit code (see exit-codes.ts) and prints its own output. */
export interface WiredCommands {
  readonly serve: Wired<ServeOptions>;
  readonly runner: Wired<RunnerCommandOptions>;
  readonly mcp: Wired<McpOptions>;
  readonly demo: Wired<DemoOptions>;
  readonly copyDatabase: Wired<CopyDatabaseOptions>;
  readonly tokenCreate: Wired<TokenCreateOptions>;
  readonly tokenList: Wired<TokenListOptions>;
  readonly tokenRevoke: Wired<TokenRevokeOptions>;
  /** Examines a database without a service; fails if it is not a Countersign database, or signed with another secret. */
  readonly examineFile: (path: string, env: CliIo['env']) => Promise<Result<DoctorReport>>;
  /** Verifies histories; fails if there is nothing that can be verified. */
  readonly verify: (options: VerifyOptions, env: CliIo['env']) => Promise<Result<Verification>>;
  readonly backup: (options: BackupOptions, onProgress: Progress) => Promise<Result<BackedUp>>;
  /** Fails if the backup fails verification. */
  readonly restore: (
    options: RestoreOptions,
    env: CliIo['env'],
    onProgress: Progress,
  ) => Promise<Result<Restored>>;
  /** Compares two schemas; fails like a registration if one of them is unusable. */
  readonly compareSchemas: (from: JsonValue, to: JsonValue) => Promise<Result<ComparedSchemas>>;
}
