// The queries of the history of a state. The first part of a key names what invalidates it, the second the query.
import { queryOptions, type QueryClient, type QueryKey } from '@tanstack/react-query';
import { CountersignError, type Countersign, type EventView } from '../../client/index.js';

/** A key or session writes less often than its state has versions, so its writes are looked for in so many of them. */
export const SEARCHED_VERSIONS = 500;

/** The history is asked for in parts of so many versions. */
export const HISTORY_CHUNK = 100;

/** So many writes of a session are shown. */
export const SESSION_WRITES = 100;

/** How often the service removes old versions, milliseconds. */
const RETENTION_ROUND_MS = 60_000;

/** The oldest version that is kept, where an older one was asked for; `null` for every other failure. */
export function oldestIn(error: unknown): number | null {
  if (!(error instanceof CountersignError) || error.code !== 'version_compacted') return null;
  const { oldest_version: oldest } = error.members;
  return typeof oldest === 'number' ? oldest : null;
}

/** The oldest version that is kept. The difference of a version to itself has no content, so it is asked for. */
export const oldestKept = (client: Countersign, id: string) =>
  queryOptions({
    queryKey: ['history', 'oldest', id],
    queryFn: async () => {
      try {
        await client.states.diff(id, { from: 1, to: 1 });
        return 1;
      } catch (error) {
        const oldest = oldestIn(error);
        if (oldest === null) throw error;
        return oldest;
      }
    },
    refetchInterval: RETENTION_ROUND_MS,
  });

interface Range {
  /** The version after which to begin; later where the history begins later. */
  readonly since: number;
  /** The last version. */
  readonly through: number;
  readonly key?: string;
  readonly session?: string;
}

/** The events of some versions, oldest first. A page of them is also limited in bytes, so there may be several. */
async function eventsIn(client: Countersign, id: string, range: Range): Promise<readonly EventView[]> {
  const { through, ...query } = range;
  const found: EventView[] = [];
  for (let next: number | undefined = query.since; next !== undefined && next < through;) {
    const page = await pageAfter(client, id, { ...query, since: next, limit: through - next });
    found.push(...page.events);
    next = page.next_since;
  }
  return found.filter(({ version }) => version <= through);
}

/** Versions may be removed at any time: then the page begins at the oldest version that is kept. */
async function pageAfter(
  client: Countersign,
  id: string,
  query: { since: number; limit: number; key?: string; session?: string },
) {
  try {
    return await client.states.events(id, query);
  } catch (error) {
    const oldest = oldestIn(error);
    if (oldest === null) throw error;
    return client.states.events(id, { ...query, since: oldest - 1 });
  }
}

/**
 * The events of some versions. Those that an earlier query has read are not read again: they never change, and each may
 * have a megabyte.
 *
 * @param prefix - The key of the query without its last part, which is the last version.
 */
async function continued(
  client: Countersign,
  id: string,
  range: Range,
  prefix: QueryKey,
  queries: QueryClient,
): Promise<readonly EventView[]> {
  const { since, through } = range;
  const [known] = queries
    .getQueriesData<readonly EventView[]>({ queryKey: prefix })
    .flatMap(([key, events]) => (events === undefined ? [] : [{ events, last: Number(key.at(-1)) }]))
    .filter(({ last }) => last >= since && last <= through)
    .toSorted((a, b) => b.last - a.last);
  if (known === undefined) return eventsIn(client, id, range);
  const further = known.last === through ? [] : await eventsIn(client, id, { ...range, since: known.last });
  return [...known.events.filter(({ version }) => version > since), ...further];
}

/**
 * A part of the history, oldest first.
 *
 * @param oldest - The oldest version that is kept.
 */
export const historyChunk = (
  client: Countersign,
  id: string,
  chunk: number,
  { oldest, version }: { readonly oldest: number; readonly version: number },
) => {
  const since = Math.max(chunk * HISTORY_CHUNK, oldest - 1);
  const through = Math.min(version, (chunk + 1) * HISTORY_CHUNK);
  const prefix = ['history', 'chunk', id, chunk, since];
  return queryOptions({
    // A part never changes; the newest has further versions later.
    queryKey: [...prefix, through],
    queryFn: ({ client: queries }) => continued(client, id, { since, through }, prefix, queries),
    staleTime: Infinity,
    placeholderData: (before, query) => (query?.queryKey[3] === chunk ? before : undefined),
  });
};

/** Writes among the newest versions: those of a session, or those that changed a top-level member. Oldest first. */
function searched(
  client: Countersign,
  id: string,
  version: number,
  [kind, name]: readonly ['key' | 'session', string],
) {
  const prefix = ['history', kind, id, name];
  const range = { since: Math.max(0, version - SEARCHED_VERSIONS), through: version, [kind]: name };
  return queryOptions({
    queryKey: [...prefix, version],
    queryFn: ({ client: queries }) => continued(client, id, range, prefix, queries),
    placeholderData: (before, query) => (query?.queryKey[3] === name ? before : undefined),
  });
}

/** The newest writes that changed a top-level member, oldest first. */
export const keyHistory = (client: Countersign, id: string, version: number, key: string) =>
  searched(client, id, version, ['key', key]);

/** The events that a session wrote among the newest versions of a state, oldest first. */
export const sessionWrites = (client: Countersign, id: string, session: string, version: number) =>
  searched(client, id, version, ['session', session]);
