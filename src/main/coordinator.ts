// The coordinator: starts database, service and HTTP in order, and stops them in reverse order.
import type { SigningKeys } from '../domain/evidence/keys.js';
import { fileURLToPath } from 'node:url';
import { DEFAULT_LIMITS, type Limits } from '../domain/limits.js';
import { createHttpApp, listen, type Listening } from '../http/index.js';
import type { McpHttpOptions } from '../mcp/index.js';
import type { AgentSource } from '../ports/agent-files.js';
import type { McpTransport } from '../ports/mcp-transport.js';
import type { Clock, Logger } from '../ports/runtime.js';
import type { SchemaEngine } from '../ports/schema-engine.js';
import { StorageError } from '../ports/storage/storage.js';
import { createSchemaEngine } from '../schema/index.js';
import { parseRange, PRIVATE_RANGES, startService, type RunningService } from '../service/index.js';
import { openCoordinatorStore, type CoordinatorStore } from '../store/index.js';
import { agentFolder } from './runner/agent-folder.js';
import { workflowSchema } from './workflow-schema.js';
import { RandomIds, systemClock } from './clock.js';
import { lazyMcpTransport } from './lazy-mcp-transport.js';
import { VERSION } from './version.js';

export interface CoordinatorOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Path of a database file, `:memory:` for a database in memory, or `postgres://…`. */
  readonly db: string;
  readonly auth: boolean;
  readonly allowHosts: readonly string[];
  readonly allowOrigins: readonly string[];
  readonly limits: Partial<Limits>;
  /** CIDR blocks that webhooks may reach in addition to public addresses. */
  readonly webhookAllow?: readonly string[] | 'private';
  /** Folder of named agents; `null` for none. */
  readonly agents?: string | null;
  readonly logger: Logger;
  /** Folder of the built dashboard; `null` for none. By default the one of this program. */
  readonly dashboard?: string | null;
  /** Signs session tokens instead of the secret in the database. */
  readonly tokenSecret?: string | undefined;
  /** Sign histories; `null` if there is no secret. */
  readonly keys?: SigningKeys | null | undefined;
  /** Tokens of runs stay valid for their whole lifetime, also after the run. */
  readonly tokensOutliveRuns?: boolean | undefined;
  /** What prompts tell of the workflow state; all by default. */
  readonly statePrompts?: { readonly context: boolean; readonly summary: boolean } | undefined;
  /** Creates the MCP servers. Only the test build of the conformance suite sets it. */
  readonly mcpServer?: McpHttpOptions['serverFor'];
}

export interface Coordinator {
  readonly url: string;
  readonly service: RunningService;
  /** Drains: rejects new requests, finishes those in progress, and writes everything accepted to disk. */
  close(): Promise<void>;
}

/** The coordinator cannot start. The message is one plain sentence. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Beside `main/` in what is published; not there where the sources run. */
const BUILT_DASHBOARD = fileURLToPath(new URL('../../dist/dashboard', import.meta.url));

const LOOPBACK = /^(localhost|127(\.[0-9]{1,3}){3}|::1|\[::1\])$/;

/**
 * Starts a coordinator.
 *
 * @throws StartError - An address that others can reach without `--auth`, or an invalid option.
 * @throws NoFolderError, DatabaseUnusableError, DatabaseNewerError, ListenError - One plain sentence each.
 */
export async function startCoordinator(options: CoordinatorOptions): Promise<Coordinator> {
  const checked = check(options);
  const undo: (() => unknown)[] = [];
  const unwind = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const opened = await openCoordinatorStore({
      db: options.db,
      keys: options.keys ?? null,
      clock: systemClock,
      logger: options.logger,
      onError: (error) => logStoreError(options.logger, error),
    });
    let late: NodeJS.Timeout | undefined;
    undo.push(async () => {
      await opened.close();
      clearTimeout(late);
    });
    const engine = createSchemaEngine(checked.limits);
    undo.push(() => engine.close());
    const service = await startServiceOn(opened, engine, checked);
    undo.push(() => service.close());
    const transports = await startTransports(service, opened.clock, checked);
    // The service ends its waits first, so that their requests get a reply; the server closes after the last
    // reply.
    undo.push(async () => {
      const closed = transports.drain();
      // What has no answer of the database by then gets none.
      late = setTimeout(() => opened.abandon(), checked.limits.drainMs);
      transports.mcp.endSubscriptions();
      await service.close();
      await closed;
      await transports.mcp.close();
    });
    return { url: transports.url, service, close: unwind };
  } catch (error) {
    await unwind();
    throw error;
  }
}

/** Options that were checked, with the defaults filled in. */
interface CheckedOptions extends Omit<CoordinatorOptions, 'limits' | 'webhookAllow' | 'agents'> {
  readonly limits: Limits;
  readonly webhookAllow: readonly string[];
  readonly agents: AgentSource | undefined;
}

function check(options: CoordinatorOptions): CheckedOptions {
  if (!options.auth && !LOOPBACK.test(options.host)) {
    throw new StartError(
      `${options.host} can be reached by others: add --auth (and make tokens with: countersign token create), or bind 127.0.0.1.`,
    );
  }
  const webhookAllow = options.webhookAllow === 'private' ? PRIVATE_RANGES : (options.webhookAllow ?? []);
  const odd = webhookAllow.find((text) => parseRange(text) === null);
  if (odd !== undefined) {
    throw new StartError(`'${odd}' is no CIDR block: --webhook-allow takes those, such as 10.0.0.0/8.`);
  }
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  const tokenSecret = tokenSecretOf(options.tokenSecret, limits.tokenSecretBytesMin);
  const agents = options.agents == null ? undefined : agentFolder(options.agents, limits.agentFileBytesMax);
  return { ...options, webhookAllow, limits, tokenSecret, agents };
}

function startServiceOn(
  { store, away, clock }: CoordinatorStore,
  engine: SchemaEngine,
  options: CheckedOptions,
): Promise<RunningService> {
  return startService({
    ...options,
    store,
    engine,
    clock,
    ids: new RandomIds(),
    workflowSchema,
    away: away ?? undefined,
    webhooks: { allow: options.webhookAllow, userAgent: `countersign/${VERSION}` },
  });
}

interface Transports {
  readonly url: string;
  readonly mcp: McpTransport;
  /** Rejects new requests, and resolves after the last reply. */
  drain(): Promise<void>;
}

/** Starts HTTP, and MCP over it. */
async function startTransports(
  service: RunningService,
  clock: Clock,
  options: CheckedOptions,
): Promise<Transports> {
  const { limits, logger, mcpServer: serverFor } = options;
  let draining = false;
  const mcp = lazyMcpTransport({ host: service, limits, logger, version: VERSION, serverFor });
  const app = createHttpApp({
    host: service,
    limits,
    logger,
    clock,
    auth: options.auth,
    allowedHosts: [options.host, ...options.allowHosts],
    allowedOrigins: [...options.allowOrigins],
    version: VERSION,
    mcp,
    dashboard: options.dashboard === null ? undefined : (options.dashboard ?? BUILT_DASHBOARD),
    draining: () => draining,
  });
  const { host, port } = options;
  const listening: Listening = await listen(app, { host, port, drainMs: limits.drainMs });
  return {
    url: listening.url,
    drain: () => {
      draining = true;
      return listening.close();
    },
    mcp,
  };
}

/** A lost connection is made again; anything else is a bug. */
function logStoreError(logger: Logger, error: unknown): void {
  if (error instanceof StorageError) logger.warn({ err: error }, 'a connection to the database was lost');
  else logger.error({ err: error }, 'a listener of the store failed');
}

/**
 * Returns the secret that signs session tokens, if one is given. As with every variable, empty counts as absent.
 *
 * @throws StartError - The secret is so short that it can be guessed from a token.
 */
function tokenSecretOf(given: string | undefined, bytesMin: number): string | undefined {
  if (given === undefined || given === '') return undefined;
  const bytes = Buffer.byteLength(given.trim());
  if (bytes >= bytesMin) return given;
  throw new StartError(
    `COUNTERSIGN_TOKEN_SECRET has ${String(bytes)} bytes; it needs at least ${String(bytesMin)}, or whoever has a token can guess it. Make one with: openssl rand -hex 32`,
  );
}
