// Reads what other coordinators have committed, and lets the listeners look where that is not known.
import type { StoreLimits } from '../../../limits.js';
import type { Connection, Connections } from '../../connections.js';
import type { PostgresLimits } from '../../limits.js';
import { numbersNow, settled } from '../../settled.js';
import type { Hearing } from '../hearing.js';
import type { Scopes } from '../scopes.js';
import {
  COMMITS_FORGOTTEN_AT_ONCE,
  COMMITS_KEPT,
  FORGET,
  SWEEP,
  TAKE_NUMBER,
  type ToldCommit,
} from './commit-log.js';

interface ForeignCommitsParts {
  readonly connections: Connections;
  readonly limits: StoreLimits & PostgresLimits;
  readonly coordinatorId: string;
  readonly scopes: Scopes;
  readonly hearing: Hearing;
  /** Called if commits of another coordinator are not known. The next decision waits for it. */
  readonly onMissed: () => Promise<void>;
}

export class ForeignCommits {
  readonly #parts: ForeignCommitsParts;
  #lookingAgain: Promise<void> | null = null;
  #forgottenThrough = 0;

  constructor(parts: ForeignCommitsParts) {
    this.#parts = parts;
  }

  /** True if a commit was made that this coordinator has not heard of. */
  isBehind(newest: number): boolean {
    return newest !== this.#parts.hearing.through;
  }

  /** Hears of what other coordinators have committed. */
  async catchUp(): Promise<void> {
    const { connections, coordinatorId, hearing } = this.#parts;
    await connections.use(async (connection) => {
      const { through, wholly } = hearing;
      // In this order: what has settled is among the commits that are read then.
      const [{ server, newest, through: settledThrough }, swept] = await Promise.all([
        numbersNow(connection),
        connection.query<ToldCommit & Record<string, unknown>>({
          ...SWEEP,
          values: [through, coordinatorId, wholly],
        }),
      ]);
      hearing.meets(server);
      // Another history on the same server: it was restored under this coordinator.
      if (newest < Math.max(through, ...wholly)) hearing.switched();
      if (hearing.hasSwitched) return;
      hearing.hearAll(swept.rows);
      if (hearing.isTooFarBehind(newest)) hearing.miss();
      hearing.advance(settledThrough);
      await this.#forget(connection, settledThrough - COMMITS_KEPT);
    });
    await this.lookAgain();
  }

  /** Removes what all others have heard of, some commits at once. */
  async #forget(connection: Connection, through: number): Promise<void> {
    if (through < this.#forgottenThrough + COMMITS_FORGOTTEN_AT_ONCE) return;
    this.#forgottenThrough = through;
    await connection.query({ ...FORGET, values: [through] });
  }

  /** Everything before now counts as heard. To be called once others record their commits for this coordinator. */
  async startHearing(): Promise<void> {
    const { connections, limits, scopes, hearing } = this.#parts;
    scopes.clear();
    // A transaction that has taken no number yet holds the newest one, and may not know of this coordinator. With a number
    // above it, the wait lasts until it has ended.
    await connections.use((connection) => connection.query(TAKE_NUMBER));
    hearing.startAt(await settled(connections, limits.answerMs));
  }

  /** See `Hearing`. */
  get hasSwitched(): boolean {
    return this.#parts.hearing.hasSwitched;
  }

  /** Commits that others made meanwhile were not recorded. */
  async missed(): Promise<void> {
    this.#parts.hearing.miss();
    await this.lookAgain();
  }

  /** Lets the listeners look once, however many transactions wait for it. */
  async lookAgain(): Promise<void> {
    if (!this.#parts.hearing.isMissing) return;
    this.#lookingAgain ??= this.#look().finally(() => {
      this.#lookingAgain = null;
    });
    await this.#lookingAgain;
  }

  async #look(): Promise<void> {
    const { scopes, hearing, onMissed } = this.#parts;
    scopes.clear();
    hearing.isMissing = false;
    try {
      await onMissed();
    } catch (error) {
      hearing.isMissing = true;
      throw error;
    }
  }
}
