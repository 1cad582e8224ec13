// Hears that other coordinators have committed: by a notification at once, or by looking every few seconds. Also says that
// this coordinator works on the database. Reads no changes: see the committer.
import pg from 'pg';
import type { Connections } from './connections.js';
import type { DatabaseClock } from './database-clock.js';
import type { PostgresLimits } from './limits.js';
import { CHANNEL } from './writes/commit-log.js';

/** The parts of a follower. */
export interface FollowerParts {
  readonly url: string;
  readonly connections: Connections;
  readonly limits: PostgresLimits;
  readonly coordinatorId: string;
  readonly clock: DatabaseClock;
  /** Called with the number of a commit. */
  readonly onCommit: (commits: number) => void;
  readonly onError: (error: unknown) => void;
}

const SAY = {
  name: 'coordinator_seen',
  text: `insert into coordinators (coordinator_id, seen_at) values ($1, clock_timestamp())
    on conflict (coordinator_id) do update set seen_at = excluded.seen_at`,
};

const LOOK = {
  name: 'newest_commit',
  text: `select commits, (extract(epoch from clock_timestamp()) * 1000)::float8 as now
    from commit_positions where id = 1`,
};

/** Coordinators that were killed leave their row. */
const TIDY = "delete from coordinators where seen_at < clock_timestamp() - interval '1 day'";

/** One coordinator that follows the commits of others. */
export class Follower {
  readonly #parts: FollowerParts;
  #client: pg.Client | null = null;
  #timer: NodeJS.Timeout | null = null;
  #listenAgain: NodeJS.Timeout | null = null;
  #saidAt = -Infinity;
  #looking: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  /** From here on, other coordinators record what they commit. */
  async start(): Promise<void> {
    const { connections } = this.#parts;
    await connections.use((connection) => connection.query(TIDY));
    await this.say();
    await this.#look();
    await this.#listen();
    this.#schedule();
  }

  /** Says that this coordinator works on the database. */
  async say(): Promise<void> {
    const { connections, coordinatorId } = this.#parts;
    await connections.use((connection) => connection.query({ ...SAY, values: [coordinatorId] }));
    this.#saidAt = performance.now();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#listenAgain !== null) clearTimeout(this.#listenAgain);
    await this.#looking;
    const { connections, coordinatorId } = this.#parts;
    await this.#client?.end().catch(() => undefined);
    const leave = 'delete from coordinators where coordinator_id = $1';
    await connections.use((connection) => connection.query(leave, [coordinatorId])).catch(() => undefined);
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#turn().finally(() => this.#schedule());
    }, this.#parts.limits.commitPollMs);
    this.#timer.unref();
  }

  async #turn(): Promise<void> {
    try {
      if (performance.now() - this.#saidAt >= this.#parts.limits.coordinatorSeenMs) await this.say();
      await this.#look();
    } catch {
      // The database cannot be reached: requests say so, and the next turn tries again.
    }
  }

  async #look(): Promise<void> {
    const { connections, clock, onCommit } = this.#parts;
    await connections.use(async (connection) => {
      const askedAt = clock.localTime();
      const { rows } = await connection.query<{ commits: string; now: number }>(LOOK);
      for (const { commits, now } of rows) {
        clock.learn(now, askedAt);
        onCommit(Number(commits));
      }
    });
  }

  /** Never throws: without notifications the follower looks every few seconds. */
  async #listen(): Promise<void> {
    if (this.#stopped) return;
    const { url, limits, coordinatorId, onCommit, onError } = this.#parts;
    const client = new pg.Client({
      connectionString: url,
      application_name: 'countersign notifications',
      connectionTimeoutMillis: limits.connectMs,
      keepAlive: true,
    });
    let isOver = false;
    const again = () => {
      if (isOver) return;
      isOver = true;
      client.end().catch(() => undefined);
      if (this.#client === client) this.#client = null;
      if (this.#stopped) return;
      this.#listenAgain = setTimeout(() => void this.#listen(), limits.listenRetryMs);
      this.#listenAgain.unref();
    };
    client.on('error', again);
    client.on('end', again);
    client.on('notification', ({ payload = '' }) => {
      const [commits, by] = payload.split(' ');
      if (by !== coordinatorId) onCommit(Number(commits));
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      this.#client = client;
    } catch (error) {
      onError(error);
      again();
    }
  }
}
