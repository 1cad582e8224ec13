// Reads what other coordinators have committed, and lets the listeners look where that is not known.
import type { Connection, Connections } from '../../connection/connections.js';
import { busy } from '../../connection/faults.js';
import type { PostgresLimits } from '../../limits.js';
import { numbersNow, waitForStable } from '../../commit-numbers.js';
import type { SeenCommits } from '../seen-commits.js';
import type { Scopes } from '../scopes.js';
import {
  COMMITS_FORGOTTEN_AT_ONCE,
  COMMITS_KEPT,
  FORGET,
  SWEEP,
  TAKE_NUMBER,
  type PublishedCommit,
} from './commit-log.js';

/** More would mean that commits are missed faster than the listeners can read everything. */
const LOOKS_MAX = 20;

interface RemoteCommitsParts {
  readonly connections: Connections;
  readonly limits: Pick<PostgresLimits, 'answerMs'>;
  readonly coordinatorId: string;
  readonly scopes: Scopes;
  readonly seen: SeenCommits;
  /** Called if commits of another coordinator are not known. The next decision waits for it. */
  readonly onMissed: () => Promise<void>;
}

export class RemoteCommits {
  readonly #parts: RemoteCommitsParts;
  #lookingAgain: Promise<void> | null = null;
  #forgottenThrough = 0;

  constructor(parts: RemoteCommitsParts) {
    this.#parts = parts;
  }

  /** True if a commit was made that this coordinator has not heard of. */
  isBehind(newest: number): boolean {
    return newest !== this.#parts.seen.through;
  }

  /** Hears of what other coordinators have committed. */
  async catchUp(): Promise<void> {
    const { connections, coordinatorId, seen } = this.#parts;
    await connections.use(async (connection) => {
      const { through, complete } = seen;
      // In this order: what is stable is among the commits that are read then.
      const [{ server, newest, through: stableThrough }, swept] = await Promise.all([
        numbersNow(connection),
        connection.query<PublishedCommit & Record<string, unknown>>({
          ...SWEEP,
          values: [through, coordinatorId, complete],
        }),
      ]);
      seen.meets(server);
      // Another history on the same server: it was restored under this coordinator.
      if (newest < Math.max(through, ...complete)) seen.switched();
      if (seen.hasSwitched) return;
      seen.noteAll(swept.rows);
      if (seen.isTooFarBehind(newest)) seen.miss();
      seen.advance(stableThrough);
      await this.#forget(connection, stableThrough - COMMITS_KEPT);
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
  async start(): Promise<void> {
    const { connections, limits, scopes, seen } = this.#parts;
    scopes.clear();
    // A transaction that has taken no number yet holds the newest one, and may not know of this coordinator. With a number
    // above it, the wait lasts until it has ended.
    await connections.use((connection) => connection.query(TAKE_NUMBER));
    seen.startAt(await waitForStable(connections, limits.answerMs));
  }

  /** See `SeenCommits`. */
  get hasSwitched(): boolean {
    return this.#parts.seen.hasSwitched;
  }

  /** Commits that others made meanwhile were not recorded. */
  async missed(): Promise<void> {
    this.#parts.seen.miss();
    await this.lookAgain();
  }

  /**
   * Lets the listeners look once, however many transactions wait for it; once more if others were missed meanwhile.
   *
   * @throws StorageError - Others are missed again and again.
   */
  async lookAgain(): Promise<void> {
    for (let looks = 0; this.#parts.seen.isMissing; looks += 1) {
      if (looks >= LOOKS_MAX) throw busy();
      this.#lookingAgain ??= this.#look().finally(() => {
        this.#lookingAgain = null;
      });
      await this.#lookingAgain;
    }
  }

  async #look(): Promise<void> {
    const { scopes, seen, onMissed } = this.#parts;
    const { misses } = seen;
    scopes.clear();
    await onMissed();
    // Until here transactions fail and wait, because the listeners have not read everything again.
    seen.handled(misses);
  }
}
