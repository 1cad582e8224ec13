// One transaction: it locks the trees of what it loads, in the order of their keys, and commits with its last statements.
import type { Change, Changeset } from '../../../domain/transactions/changeset.js';
import type { LoadRequest } from '../../../domain/transactions/loaded-records.js';
import { CommitUnknownError } from '../../../ports/storage/storage.js';
import type { Connection } from '../connections.js';
import { isConnectionLoss } from '../faults.js';
import { inOrder, isAfter, keysOfChange, WEBHOOKS_KEY } from './commits/commit-keys.js';
import {
  HOLD,
  HOLD_AND_LOCK,
  LOCK,
  NOTIFY,
  RECORD,
  SINCE,
  textOfCommit,
  type ToldCommit,
} from './commits/commit-log.js';
import type { Hearing } from './hearing.js';
import type { Roots } from './roots.js';
import { Writer } from './writer.js';

/** What was written; `null` if it is not known record by record. */
export type Written = Changeset | null;

/** The parts of a transaction. */
interface TransactionParts {
  readonly connection: Connection;
  /** The statements that begin a transaction. */
  readonly begin: string;
  readonly coordinatorId: string;
  readonly coordinatorGoneMs: number;
  readonly hearing: Hearing;
  readonly roots: Roots;
  /** See `Writer`. */
  readonly isChecked: boolean;
}

/** Thrown where a transaction needs locks that come before those that it has. It is made again with all of them. */
export class KeysNeededError extends Error {
  override readonly name = 'KeysNeededError';

  constructor(readonly keys: readonly string[]) {
    super('The transaction needs more locks');
  }
}

/** Thrown where commits of others are not known. The transaction is made again after the listeners have looked. */
export class MissedCommitsError extends Error {
  override readonly name = 'MissedCommitsError';
}

export class Transaction {
  readonly connection: Connection;
  readonly writer: Writer;
  /** How many other coordinators work on the database. */
  readonly others: number;
  readonly #parts: TransactionParts;
  /** The number of this commit, by key. */
  readonly #held = new Map<string, number>();
  #last = '';

  private constructor(parts: TransactionParts, writer: Writer, others: number) {
    this.connection = parts.connection;
    this.writer = writer;
    this.others = others;
    this.#parts = parts;
  }

  /** @throws MissedCommitsError */
  static async begin(parts: TransactionParts, keys: Iterable<string>): Promise<Transaction> {
    const { connection } = parts;
    const ordered = inOrder(keys);
    const [, locked, since] = await Promise.all([
      connection.query(parts.begin),
      ordered.length === 0
        ? connection.query(HOLD).then(() => new Map<string, number>())
        : lockOf(parts, ordered, true),
      sinceOf(parts, ordered),
    ]);
    const { others, watched } = since;
    const holdsWebhooks = ordered.includes(WEBHOOKS_KEY);
    const writer = new Writer(connection, parts.isChecked, holdsWebhooks ? null : watched);
    const transaction = new Transaction(parts, writer, others);
    transaction.#hear(locked, since);
    return transaction;
  }

  #hear(locked: ReadonlyMap<string, number>, { missed, watched }: Since): void {
    const { hearing } = this.#parts;
    hearing.hear(missed);
    for (const [key, commits] of locked) {
      hearing.holds(key, commits);
      this.#held.set(key, commits);
      if (isAfter(key, this.#last)) this.#last = key;
    }
    if (!this.#held.has(WEBHOOKS_KEY)) hearing.watches(WEBHOOKS_KEY, watched);
    if (hearing.isMissing) throw new MissedCommitsError('Commits of another coordinator are not known');
  }

  /** Locks what load requests need. @throws KeysNeededError, MissedCommitsError */
  async lock(loads: readonly LoadRequest[]): Promise<void> {
    await this.#lockKeys(await this.#parts.roots.keysOf(loads, this.connection));
  }

  /** Locks what changes need and was not loaded. Nobody else holds the locks of new trees. @throws As `lock`. */
  async lockChanges(changes: Changeset): Promise<void> {
    const needed: string[] = [];
    const made = new Set<string>();
    for (const change of changes) {
      const keys = keysOfChange(change);
      const [first] = keys;
      if (first !== undefined && keys.every((key) => !this.#held.has(key))) needed.push(first);
      if ('put' in change && change.put === 'tree' && change.record.revision === 1)
        made.add(change.record.rootSessionId);
    }
    await this.#lockKeys(
      needed,
      needed.every((key) => made.has(key)),
    );
  }

  async #lockKeys(keys: readonly string[], areNew = false): Promise<void> {
    const needed = inOrder(keys).filter((key) => !this.#held.has(key));
    const [first] = needed;
    if (first === undefined) return;
    const isLate = this.writer.hasNumber || !isAfter(first, this.#last);
    // The writer checks that nobody changed the webhooks, unless their key is held from the beginning on.
    if (needed.includes(WEBHOOKS_KEY) || (isLate && !areNew)) throw new KeysNeededError(needed);
    const [locked, since] = await Promise.all([
      lockOf(this.#parts, needed, false),
      sinceOf(this.#parts, needed),
    ]);
    this.#hear(locked, since);
  }

  /** Sends the last statements and the commit in one round trip. If a statement fails, the commit rolls back. */
  async commit(written: Written): Promise<void> {
    const { connection, writer } = this;
    if (this.#parts.isChecked) await writer.flush();
    const sent: Promise<unknown>[] = [...writer.send()];
    if (this.others > 0) sent.push(...writer.takeNumber(), this.#record(written));
    const committed = connection.query('commit');
    sent.push(committed);
    // A hint: without it, the others find the commit when they look.
    if (this.others > 0)
      connection.query({ ...NOTIFY, values: [this.#parts.coordinatorId] }).catch(() => undefined);
    for (const result of await Promise.allSettled(sent)) {
      if (result.status === 'fulfilled') continue;
      if (!isConnectionLoss(result.reason)) throw result.reason;
      throw new CommitUnknownError('The connection was lost during the commit', { cause: result.reason });
    }
    // A transaction that failed before answers a commit with a rollback.
    if ((await committed).command !== 'COMMIT') throw new Error('The transaction was rolled back');
  }

  /** Nothing is written, and what was read stays current. */
  async rollback(): Promise<void> {
    for (const [key, commits] of this.#held) this.#parts.hearing.releases(key, commits);
    await this.connection.query('rollback');
  }

  /** The keys that are locked. */
  get keys(): Iterable<string> {
    return this.#held.keys();
  }

  #record(written: Written): Promise<unknown> {
    const { coordinatorId: by } = this.#parts;
    const byKey = new Map<string, Change[]>([...this.#held.keys()].map((key) => [key, []]));
    for (const change of written ?? []) byKey.get(this.#keyOf(change) ?? '')?.push(change);
    const texts = [...byKey.values()].map((changes) =>
      written === null ? null : textOfCommit({ by, changes }),
    );
    const values = [by, [...byKey.keys()], [...this.#held.values()], texts];
    return this.connection.query({ ...RECORD, values });
  }

  #keyOf(change: Change): string | undefined {
    if ('remove' in change && change.remove === 'state')
      return this.#parts.roots.known({ load: 'state', stateId: change.id })[0];
    return keysOfChange(change).find((key) => this.#held.has(key)) ?? [...this.#held.keys()][0];
  }
}

interface Since {
  readonly others: number;
  readonly watched: number;
  readonly missed: readonly ToldCommit[];
}

async function lockOf(
  { connection }: TransactionParts,
  keys: readonly string[],
  isFirst: boolean,
): Promise<ReadonlyMap<string, number>> {
  const statement = { ...(isFirst ? HOLD_AND_LOCK : LOCK), values: [keys] };
  const { rows } = await connection.query<{ key: string; commits: string }>(statement);
  return new Map(rows.map(({ key, commits }) => [key, Number(commits)]));
}

async function sinceOf(parts: TransactionParts, keys: readonly string[]): Promise<Since> {
  const { connection, coordinatorId, coordinatorGoneMs, hearing } = parts;
  const { through, wholly } = hearing;
  const values = [through, keys, coordinatorId, WEBHOOKS_KEY, coordinatorGoneMs, wholly];
  const { rows } = await connection.query<{ others: number; watched: string | null; missed: ToldCommit[] }>({
    ...SINCE,
    values,
  });
  const { others = 0, watched = null, missed = [] } = rows[0] ?? {};
  return { others, watched: Number(watched ?? 0), missed };
}
