// Hears that other coordinators have committed: by a notification at once, or by looking every few seconds. Also says that
// this coordinator works on the database. Reads no changes: see the committer.
import pg from 'pg';
import { destroyLater } from './connection/client.js';
import type { Connections } from './connection/connections.js';
import type { DatabaseClock } from './connection/database-clock.js';
import { connectionFault } from './connection/faults.js';
import type { PostgresLimits } from './limits.js';
import { CHANNEL, NOTIFY, othersBeside, OVERTAKEN_CHANNEL } from './writes/commits/commit-log.js';

/** The parts of a follower. */
interface FollowerParts {
  readonly connections: Connections;
  readonly limits: PostgresLimits;
  readonly coordinatorId: string;
  readonly clock: DatabaseClock;
  /** Called with the newest number of commits; `null` if another coordinator has committed. */
  readonly onCommit: (newest: number | null) => void;
  /** Called with the number of other coordinators. */
  readonly onOthers: (others: number) => void;
  /** Called if the others have counted this coordinator as gone: they have not recorded their commits for it. */
  readonly onGone: () => Promise<void>;
  /** Called if another coordinator could not write a state, because it was overtaken. */
  readonly onOvertaken: (stateId: string, by: string) => void;
  /** Called with a `StorageError` when notifications cease, once until they come again. */
  readonly onError: (error: unknown) => void;
}

/** Says it, and whether the others have counted this coordinator as gone since it last said so. */
const ANNOUNCE = {
  name: 'coordinator_seen',
  text: `with before as (select seen_at from coordinators where coordinator_id = $1)
    insert into coordinators (coordinator_id, seen_at) values ($1, clock_timestamp())
    on conflict (coordinator_id) do update set seen_at = excluded.seen_at
    returning coalesce((select seen_at < clock_timestamp() - make_interval(secs => $2::float8 / 1000) from before), true)
      as was_gone`,
};

const POLL = {
  name: 'newest_commit',
  text: `select last_value as newest, (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
      ${othersBeside('$1', '$2')} as others
    from commit_numbers`,
};

/** Coordinators that were killed leave their row. */
const REMOVE_OLD = "delete from coordinators where seen_at < clock_timestamp() - interval '1 day'";

/** One coordinator that follows the commits of others. */
export class Follower {
  readonly #parts: FollowerParts;
  #listening: { readonly client: pg.Client; readonly giveUp: () => void } | null = null;
  #timer: NodeJS.Timeout | null = null;
  #listenAgain: NodeJS.Timeout | null = null;
  #saidAt = -Infinity;
  #looking: Promise<void> = Promise.resolve();
  /** True while the connection for notifications cannot be made. */
  #isNotListening = false;
  #stopped = false;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  /** From here on, other coordinators record what they commit. */
  async start(): Promise<void> {
    const { connections } = this.#parts;
    await connections.use((connection) => connection.query(REMOVE_OLD));
    await this.notifyOthers();
    // The others learn that they are not alone before this coordinator commits anything.
    const values = [this.#parts.coordinatorId];
    await connections.use((connection) => connection.query({ ...NOTIFY, values }));
    await this.#parts.onGone();
    await this.#poll();
    await this.#listen();
    this.#schedule();
  }

  /** Says that this coordinator works on the database. @returns Whether the others have counted it as gone. */
  async notifyOthers(): Promise<boolean> {
    const { connections, coordinatorId, limits } = this.#parts;
    const values = [coordinatorId, limits.coordinatorGoneMs];
    const { rows } = await connections.use((connection) =>
      connection.query<{ was_gone: boolean }>({ ...ANNOUNCE, values }),
    );
    this.#saidAt = performance.now();
    return rows[0]?.was_gone === true;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#listenAgain !== null) clearTimeout(this.#listenAgain);
    await this.#looking;
    const { connections, coordinatorId } = this.#parts;
    const client = this.#listening?.client;
    if (client !== undefined) {
      client.end().catch(() => undefined);
      destroyLater(client);
    }
    const signOff = 'delete from coordinators where coordinator_id = $1';
    await connections.use((connection) => connection.query(signOff, [coordinatorId])).catch(() => undefined);
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#round().finally(() => this.#schedule());
    }, this.#parts.limits.commitPollMs);
    this.#timer.unref();
  }

  async #round(): Promise<void> {
    try {
      if (performance.now() - this.#saidAt >= this.#parts.limits.coordinatorSeenMs) {
        this.#checkListening();
        if (await this.notifyOthers()) await this.#parts.onGone();
      }
      await this.#poll();
    } catch {
      // The database cannot be reached: requests say so, and the next round tries again.
    }
  }

  /** A silent network looks like one without notifications. If the connection does not answer, a new one is made. */
  #checkListening(): void {
    const listening = this.#listening;
    listening?.client.query('select 1').catch(() => listening.giveUp());
  }

  async #poll(): Promise<void> {
    const { connections, clock, coordinatorId, limits, onCommit, onOthers } = this.#parts;
    const values = [coordinatorId, limits.coordinatorGoneMs];
    await connections.use(async (connection) => {
      const askedAt = clock.localTime();
      const { rows } = await connection.query<{ newest: string; now: number; others: number }>({
        ...POLL,
        values,
      });
      for (const { newest, now, others } of rows) {
        clock.learn(now, askedAt);
        onOthers(others);
        onCommit(Number(newest));
      }
    });
  }

  /** Never throws: without notifications the follower looks every few seconds. */
  async #listen(): Promise<void> {
    if (this.#stopped) return;
    const { connections, limits, coordinatorId, onCommit, onOvertaken, onError } = this.#parts;
    const url = connections.nextListenUrl();
    if (url === null) return;
    const client = new pg.Client({
      connectionString: url,
      application_name: 'countersign notifications',
      connectionTimeoutMillis: limits.connectMs,
      query_timeout: limits.connectMs,
      keepAlive: true,
    });
    let isOver = false;
    const reconnect = () => {
      if (isOver) return;
      isOver = true;
      client.end().catch(() => undefined);
      if (this.#listening?.client === client) this.#listening = null;
      if (this.#stopped) return;
      this.#listenAgain = setTimeout(() => void this.#listen(), limits.listenRetryMs);
      this.#listenAgain.unref();
    };
    client.on('error', reconnect);
    client.on('end', reconnect);
    client.on('notification', ({ channel, payload = '' }) => {
      const [what = '', about = ''] = payload.split(' ');
      if (channel === CHANNEL) {
        if (what !== coordinatorId) onCommit(null);
      } else if (what !== coordinatorId) onOvertaken(about, what);
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}; listen ${OVERTAKEN_CHANNEL}`);
      this.#listening = { client, giveUp: reconnect };
      this.#isNotListening = false;
    } catch (error) {
      if (!this.#isNotListening) onError(connectionFault(error));
      this.#isNotListening = true;
      reconnect();
    }
  }
}
