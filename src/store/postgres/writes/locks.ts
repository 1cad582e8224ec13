// Locks the keys of a transaction, and asks what other coordinators have committed for them.
import type { Connection } from '../connection/connections.js';
import { storedParameter } from '../tables/stored-text.js';
import { WEBHOOKS_KEY } from './commits/commit-keys.js';
import { HOLD, HOLD_AND_LOCK, LOCK, SINCE, type PublishedCommit } from './commits/commit-log.js';

/** The coordinator that asks. */
interface Coordinator {
  readonly coordinatorId: string;
  readonly coordinatorGoneMs: number;
  readonly seen: { readonly through: number; readonly complete: readonly number[] };
}

/** What a transaction learns under its locks. */
export interface Since {
  /** See `Numbers`. */
  readonly server: string;
  /** How many other coordinators work on the database. */
  readonly others: number;
  /** True if the others count this coordinator as gone: they do not record their commits for it. */
  readonly isGone: boolean;
  /** The number of commits of the webhooks. */
  readonly watched: number;
  /** What others have committed for its keys, and was not heard. */
  readonly missed: readonly PublishedCommit[];
}

/**
 * Locks keys.
 *
 * @param isFirst - These are the first locks of the transaction: it also says that it is in progress.
 * @returns The number of this commit, by key.
 */
export async function lockKeys(
  connection: Connection,
  keys: readonly string[],
  isFirst: boolean,
): Promise<ReadonlyMap<string, number>> {
  if (keys.length === 0) {
    if (isFirst) await connection.query(HOLD);
    return new Map();
  }
  const statement = { ...(isFirst ? HOLD_AND_LOCK : LOCK), values: [keys] };
  const { rows } = await connection.query<{ key: string; commits: string }>(statement);
  // The server answers with the stored form, which a key of nothing that exists may differ from.
  const byStored = new Map(keys.map((key) => [storedParameter(key), key]));
  return new Map(rows.map(({ key, commits }) => [byStored.get(key) ?? key, Number(commits)]));
}

interface Row {
  readonly server: string;
  readonly others: number;
  /** `null` for a store that does not follow the others. */
  readonly is_gone: boolean | null;
  readonly watched: string | null;
  readonly missed: PublishedCommit[];
}

/** To be asked once the keys are locked. */
export async function commitsSince(
  connection: Connection,
  coordinator: Coordinator,
  keys: readonly string[],
): Promise<Since> {
  const { coordinatorId, coordinatorGoneMs, seen } = coordinator;
  const { through, complete } = seen;
  const values = [through, keys, coordinatorId, WEBHOOKS_KEY, coordinatorGoneMs, complete];
  const { rows } = await connection.query<Row>({ ...SINCE, values });
  const { server = '', others = 0, is_gone = null, watched = null, missed = [] } = rows[0] ?? {};
  return { server, others, isGone: is_gone === true, watched: Number(watched ?? 0), missed };
}
