// A running service on a real database file and the real schema engine, for tests of whole stories.
import { rmSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { keepStatements } from '../../src/store/sqlite/kept-statements.js';
import type { SigningKeys } from '../../src/domain/evidence/keys.js';
import type { TimeAway } from '../../src/domain/scheduling/time-away.js';
import { DEFAULT_LIMITS, type Limits } from '../../src/domain/limits.js';
import type { Result } from '../../src/domain/errors.js';
import type { AgentSource } from '../../src/ports/agent-files.js';
import type { Clock, IdSource, Logger } from '../../src/ports/runtime.js';
import type { Countersign } from '../../src/ports/service.js';
import type { Store } from '../../src/ports/storage/store.js';
import type * as api from '../../src/ports/api/index.js';
import {
  secretHash,
  startService,
  type RunningService,
  type ServiceOptions,
  type WebhookOptions,
} from '../../src/service/index.js';
import { workflowSchema } from '../../src/main/workflow-schema.js';
import { createSchemaEngine } from '../../src/schema/index.js';
import { openSqliteStore } from '../../src/store/sqlite/index.js';
import { createDatabase, newFolder } from '../support/database-file.js';
import { eventually, pause } from '../support/eventually.js';
import { sharedEngine } from '../support/shared-engine.js';

/** Time that stands still until it is told to move. */
export class TestClock implements Clock {
  #now = Date.parse('2026-01-01T00:00:00Z');
  now(): number {
    return this.#now;
  }
  advance(ms: number): void {
    this.#now += ms;
  }
  /** How far somebody has set the clock of the machine. */
  setByMs = 0;
  wall(): number {
    return this.#now + this.setByMs;
  }
}

function countingIds(): IdSource {
  let count = 0;
  return {
    newId: (prefix) => `${prefix}_${String((count += 1)).padStart(6, '0')}`,
    newSecret: () => `secret-${String((count += 1))}`,
  };
}

export const silent: Logger = {
  verbose: false,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (fields, message) => console.error(message, fields),
};

export interface Harness {
  readonly service: RunningService;
  readonly clock: TestClock;
  readonly operator: Countersign;
  /** Path of the database file. */
  readonly db: string;
  as(session: string): Promise<Countersign>;
  /** Moves time on and waits until what is due has been done. */
  pass(ms: number): Promise<void>;
  /** Everything that is in the database, as text: equal texts, nothing written. */
  dump(): string;
  /** Changes the database behind the service's back. */
  tamper(sql: string): void;
  /** Ends the service, lets something happen, and starts it again on the same database. */
  restart(away?: TimeAway, meanwhile?: () => void): Promise<void>;
  close(): Promise<void>;
}

export function must<T>(result: Result<T>): T {
  if (!result.ok)
    throw new Error(
      `${result.failure.error}: ${result.failure.detail} ${JSON.stringify(result.failure.members)}`,
    );
  return result.value;
}

export function failure(result: Result<unknown>) {
  if (result.ok) throw new Error(`accepted: ${JSON.stringify(result.value)}`);
  return result.failure;
}

/** Small groups need no writing thread: starting one for every other service takes long. The store's tests have both. */
const STORE_LIMITS = { threadRecordsMin: 100 };

export async function openHarness(
  overrides: Partial<Limits> = {},
  auth = false,
  webhooks: WebhookOptions = {},
  agents?: AgentSource,
  /** What the service gets in place of the store itself. */
  wrapped: (store: Store) => Store = (store) => store,
  /** Sign histories. */
  keys: SigningKeys | null = null,
  /** What prompts tell of the state. */
  statePrompts?: ServiceOptions['statePrompts'],
): Promise<Harness> {
  const dir = newFolder();
  const db = path.join(dir, 'test.db');
  // Records of keys are written when the database is new.
  if (keys === null) await createDatabase(db);
  const clock = new TestClock();
  const ids = countingIds();
  const limits: Limits = { ...DEFAULT_LIMITS, tickMs: 20, ...overrides };
  /** How often the service has looked for what is due since that time. */
  let rounds = 0;
  let roundsSince = 0;
  const open = async (away?: TimeAway, engine = sharedEngine(limits)) => {
    const store = await openSqliteStore({ path: db, keys, limits: STORE_LIMITS });
    const due = store.read.due.bind(store.read);
    store.read.due = (now, limit) => {
      if (now >= roundsSince) rounds += 1;
      return due(now, limit);
    };
    const service = await startService({
      store: wrapped(store),
      engine,
      clock,
      ids,
      limits,
      keys,
      logger: silent,
      auth,
      webhooks,
      agents,
      workflowSchema,
      away,
      statePrompts,
    });
    return { store, engine, service };
  };
  let running = await open();
  const end = async () => {
    await running.service.close();
    if (running.engine !== sharedEngine(limits)) await running.engine.close();
    await running.store.close();
  };
  return {
    get service() {
      return running.service;
    },
    clock,
    get operator() {
      return running.service.as({ kind: 'operator', tokenName: null });
    },
    db,
    async as(session) {
      const actor = must(
        await running.service.identify({ bearer: null, sessionId: null, sessionName: session }),
      );
      return running.service.as(actor);
    },
    async pass(ms) {
      clock.advance(ms);
      rounds = 0;
      roundsSince = clock.now();
      // The third begins when two are over: what the first brings about may be due itself.
      await eventually('three rounds of timers', () => rounds > 2, 90_000, 2);
      // What was sent to somebody, or written by another thread, has come to its end.
      await pause(20);
    },
    dump() {
      const client = keepStatements(new Database(db, { readonly: true }));
      const tables = client
        .prepare("select name from sqlite_schema where type = 'table' order by name")
        .pluck()
        .all();
      const rows = tables.map((table) => [table, client.prepare(`select * from "${String(table)}"`).all()]);
      client.close();
      return JSON.stringify(rows);
    },
    tamper(sql) {
      const client = keepStatements(new Database(db));
      client.exec(sql);
      client.close();
    },
    async restart(away, meanwhile) {
      await end();
      meanwhile?.();
      // What a new process has compiled nothing of.
      running = await open(away, createSchemaEngine(limits));
    },
    async close() {
      await end();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Makes a token as `token create` does: in the database, beside the service. @returns The token. */
export function addToken(harness: Harness, role: string, name: string): string {
  const token = `${role}-token-of-${name}`;
  harness.tamper(
    `insert into tokens (token_id, name, role, hash, created_at, revoked_at, revision)
      values ('tok_${name}', '${name}', '${role}', '${secretHash(token)}', 0, null, 1)`,
  );
  return token;
}

/** As `token revoke` does. */
export function revokeToken(harness: Harness, name: string): void {
  harness.tamper(`update tokens set revoked_at = 1 where name = '${name}'`);
}

/** A runner as the wire shows it, played by the test. */
export class PlayedRunner {
  private constructor(
    private readonly service: () => Countersign,
    readonly runnerId: string,
  ) {}

  static async register(harness: Harness, executor_types = ['command']): Promise<PlayedRunner> {
    const registered = must(
      await harness.operator.runners.register({
        hostname: 'host',
        executor_types,
        max_concurrent: 32,
      }),
    );
    return new PlayedRunner(() => harness.operator, registered.runner_id);
  }

  /** Claims what waits now. */
  async claim(): Promise<readonly api.ClaimedRun[]> {
    return must(await this.service().runners.poll({ runnerId: this.runnerId, waitMs: 0 })).runs;
  }

  /** Claims the one run that waits, and starts it. */
  async take(session?: string): Promise<api.ClaimedRun> {
    const runs = await this.claim();
    const run = runs.find((one) => session === undefined || one.session_name === session);
    if (run === undefined)
      throw new Error(
        `no run waits for ${session ?? 'anybody'}: ${runs.map((one) => one.session_name).join()}`,
      );
    for (const one of runs) await this.start(one);
    return run;
  }

  lease(run: api.ClaimedRun) {
    return { runner_id: this.runnerId, attempt: run.attempt, lease_token: run.lease_token };
  }

  async start(run: api.ClaimedRun) {
    return must(
      await this.service().runners.started(run.run_id, { ...this.lease(run), executor_type: 'command' }),
    );
  }

  async complete(run: api.ClaimedRun, resultText = 'done') {
    return must(
      await this.service().runners.completed(run.run_id, { ...this.lease(run), result_text: resultText }),
    );
  }

  completeWith(run: api.ClaimedRun, result: Pick<api.RunCompleted, 'result_text' | 'result_data'>) {
    return this.service().runners.completed(run.run_id, { ...this.lease(run), ...result });
  }

  async fail(run: api.ClaimedRun, error: string, cause: 'agent' | 'environment' = 'agent') {
    return must(await this.service().runners.failed(run.run_id, { ...this.lease(run), error, cause }));
  }
}
