// Commands that need more than a service to ask: `main/` brings them, this room only reads their flags.
import type { Outcome } from '../domain/errors.js';
import type { JsonValue } from '../domain/json/json.js';
import type { Role } from '../domain/records/records.js';
import type { ExecutorType } from '../ports/executor-types.js';
import type { Containment } from '../ports/schema-engine.js';
import type { CliIo } from './io.js';
import type { DoctorReport } from '../ports/api/index.js';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

/** By what a runner executes its runs. */
export interface ExecutionOptions {
  /** The first takes runs that name none. */
  readonly executors: readonly ExecutorType[];
  /** The command line of the executor `command`; empty where that is not among them, or agents bring their own. */
  readonly exec: string;
  /** Of the agents' CLIs; `null` for what they take by themselves. */
  readonly agentModel: string | null;
  readonly agentArgs: readonly string[];
  /** How their results are recorded where there is a contract. */
  readonly recordBy: 'tools' | 'output';
}

export interface ServeOptions {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Path of a database file, or its URL; the usual one where it is absent. */
  readonly db: string | undefined;
  /** Every caller has to show a token. */
  readonly auth: boolean;
  /** Tokens of runs count for their whole time. */
  readonly tokensOutliveRuns: boolean;
  /** A runner beside the service; `null` for none. */
  readonly runner: {
    readonly execution: ExecutionOptions;
    /** Absolute. */
    readonly projectDir: string;
    readonly concurrentMax: number;
  } | null;
  /** Folder of named agents, absolute; `null` for none. */
  readonly agents: string | null;
  /** Names beside the loopback's that `Host` may carry. */
  readonly allowHosts: readonly string[];
  readonly allowOrigins: readonly string[];
  readonly logLevel: LogLevel;
  /** Changed bounds of the service, by their names in `domain/limits.ts`. */
  readonly limits: {
    readonly leaseMs?: number;
    readonly completionTimeoutMs?: number;
    readonly completionAttemptsMax?: number;
    readonly completionRetryDelayMs?: number;
    readonly runUnclaimedMs?: number;
    readonly historyVersionsMax?: number;
    readonly historyAgeMsMax?: number;
    readonly webhookTimeoutMs?: number;
    readonly webhookBackoffMs?: number;
    readonly webhookRetryForMs?: number;
  };
  /** CIDR blocks that webhooks may reach beside the public addresses; `private` for all that are one's own. */
  readonly webhookAllow: readonly string[] | 'private';
}

export interface RunnerCommandOptions {
  readonly url: string;
  readonly token: string | undefined;
  readonly execution: ExecutionOptions;
  readonly hostname: string;
  /** Absolute. */
  readonly projectDir: string;
  readonly tags: readonly string[];
  readonly concurrentMax: number;
  readonly logLevel: LogLevel;
}

export interface McpOptions {
  readonly url: string;
  readonly token: string | undefined;
  readonly logLevel: LogLevel;
}

export interface DemoOptions {
  /** Repository to work on; `null` for one that is made. Absolute. */
  readonly repo: string | null;
  /** Show every step and the whole state. */
  readonly verbose: boolean;
  /** Leave everything in place when it is over. */
  readonly keep: boolean;
  /** `null` for any that is free. */
  readonly port: number | null;
}

/** Work on the database itself: there may be no one yet whom the service would let in. */
export interface TokenCreateOptions {
  readonly db: string | undefined;
  readonly name: string;
  readonly role: Role;
  readonly json: boolean;
}

export interface TokenListOptions {
  readonly db: string | undefined;
  readonly json: boolean;
}

export interface TokenRevokeOptions {
  readonly db: string | undefined;
  /** Id or name. */
  readonly token: string;
  readonly json: boolean;
}

/** Two schemas, held against each other both ways. */
export interface ComparedSchemas {
  /** Whether the second accepts all that the first accepts. */
  readonly backward: Containment;
  /** Whether the first accepts all that the second accepts. */
  readonly forward: Containment;
}

type Wired<O> = (options: O, io: CliIo) => Promise<number>;

/** Each resolves to its exit code (see exit-codes.ts), and writes what it has to say itself. */
export interface WiredCommands {
  readonly serve: Wired<ServeOptions>;
  readonly runner: Wired<RunnerCommandOptions>;
  readonly mcp: Wired<McpOptions>;
  readonly demo: Wired<DemoOptions>;
  readonly tokenCreate: Wired<TokenCreateOptions>;
  readonly tokenList: Wired<TokenListOptions>;
  readonly tokenRevoke: Wired<TokenRevokeOptions>;
  /** Looks at a database file without a service; refused where it is none of ours. */
  readonly examineFile: (path: string) => Promise<Outcome<DoctorReport>>;
  /** Compares two schemas; refused as at a registration where one of them cannot be used. */
  readonly compareSchemas: (from: JsonValue, to: JsonValue) => Promise<Outcome<ComparedSchemas>>;
}
