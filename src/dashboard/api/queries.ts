// The queries of the views. The first part of a key names what invalidates it, the second the query; ids and names come
// after both, since a session may have any name.
import { queryOptions } from '@tanstack/react-query';
import type { Countersign } from '../../client/index.js';
import type { StateOrder } from './list-queries.js';

const PAGE = 50;

type SessionStatus = 'pending' | 'running' | 'finished' | 'failed' | 'stopped';

/** What this page may do. */
export const whoAmI = (client: Countersign) =>
  queryOptions({
    queryKey: ['whoami'],
    queryFn: () => client.operations.whoAmI(),
    staleTime: Infinity,
  });

export const overview = (client: Countersign) =>
  queryOptions({ queryKey: ['overview'], queryFn: () => client.operations.overview() });

const ACTIVITY_MS = 15_000;

/** Not asked for at each change: its newest minute is still going on. */
export const activity = (client: Countersign) =>
  queryOptions({
    queryKey: ['activity'],
    queryFn: () => client.operations.activity(),
    refetchInterval: ACTIVITY_MS,
  });

export const completions = (client: Countersign, status: 'pending' | 'failed') =>
  queryOptions({
    queryKey: ['completions', 'status', status],
    queryFn: () => client.sessions.completions({ status, limit: PAGE }),
  });

export const completion = (client: Countersign, session: string) =>
  queryOptions({
    queryKey: ['completions', 'of', session],
    queryFn: () => client.sessions.completion(session),
  });

/** Of its last work. */
export const callbackOf = (client: Countersign, child: string) =>
  queryOptions({
    queryKey: ['callbacks', 'of', child],
    queryFn: async () => {
      const { items } = await client.callbacks.list({ child_session: child, order: 'newest', limit: 1 });
      return items[0] ?? null;
    },
  });

export const deadCallbacks = (client: Countersign) =>
  queryOptions({
    queryKey: ['callbacks', 'status', 'dead'],
    queryFn: () => client.callbacks.list({ status: 'dead', limit: PAGE }),
  });

export const sessions = (client: Countersign, status: SessionStatus) =>
  queryOptions({
    queryKey: ['sessions', 'status', status],
    queryFn: () => client.sessions.list({ status, limit: 200 }),
  });

export const session = (client: Countersign, id: string) =>
  queryOptions({ queryKey: ['sessions', 'one', id], queryFn: () => client.sessions.get(id) });

export const tree = (client: Countersign, session: string) =>
  queryOptions({ queryKey: ['sessions', 'tree', session], queryFn: () => client.sessions.tree(session) });

export const sessionResult = (client: Countersign, session: string) =>
  queryOptions({
    queryKey: ['sessions', 'result', session],
    queryFn: () => client.sessions.result(session),
  });

const OPEN_COMPLETIONS = 1000;

/** The completions of a tree that are pending or failed. */
export const openCompletions = (client: Countersign, root: string) =>
  queryOptions({
    queryKey: ['completions', 'open', root],
    queryFn: async () => {
      const of = (status: 'pending' | 'failed') =>
        client.sessions.completions({ root_session: root, status, limit: OPEN_COMPLETIONS });
      const [pending, failed] = await Promise.all([of('pending'), of('failed')]);
      return [...pending.items, ...failed.items];
    },
  });

export const runners = (client: Countersign) =>
  queryOptions({
    queryKey: ['runners'],
    queryFn: () => client.runners.list({ limit: 1000 }),
    refetchInterval: 10_000,
  });

/** The ages to choose from in the list of states. */
export const AGES = {
  hour: { words: 'last hour', hours: 1 },
  day: { words: 'last day', hours: 24 },
  week: { words: 'last week', hours: 168 },
} as const;

export type Age = keyof typeof AGES;

/** Another age counts as none: then states of the whole time are listed. */
export function ageOf(value: unknown): Age | undefined {
  return (['hour', 'day', 'week'] as const).find((age) => age === value);
}

const HOUR_MS = 3_600_000;

const changedSince = (age: Age) => new Date(Date.now() - AGES[age].hours * HOUR_MS).toISOString();

export interface StateFilter {
  readonly schema?: string | undefined;
  readonly root?: string | undefined;
  readonly since?: Age | undefined;
  /** The start of the name of a root session, or the id of a state. */
  readonly search?: string | undefined;
  readonly order?: StateOrder | undefined;
  readonly cursor?: string | undefined;
}

export const states = (client: Countersign, filter: StateFilter) => {
  const { schema, root, since, search, order = 'newest', cursor } = filter;
  return queryOptions({
    queryKey: ['states', 'list', filter],
    queryFn: () =>
      client.states.list({
        limit: PAGE,
        ...(schema === undefined ? {} : { schema }),
        ...(root === undefined ? {} : { root_session: root }),
        ...(since === undefined ? {} : { updated_since: changedSince(since) }),
        ...(search === undefined ? {} : { search }),
        ...(cursor === undefined ? {} : { cursor }),
        order,
      }),
    placeholderData: (before) => before,
  });
};

/** Scrubbing reads many documents, of a megabyte each. */
const PAST_KEPT_MS = 20_000;

export const state = (client: Countersign, id: string, at?: number) =>
  queryOptions({
    // An old version never changes.
    queryKey: at === undefined ? ['states', 'one', id] : ['versions', id, at],
    queryFn: () => client.states.get(id, at),
    ...(at === undefined ? {} : { staleTime: Infinity, gcTime: PAST_KEPT_MS }),
    // A document is replaced as a whole: to compare it with the one before takes longer than to read it.
    structuralSharing: false,
    placeholderData: (before) => before,
  });

/** The top-level members of the state of a tree, with who wrote each last. */
export const keys = (client: Countersign, root: string) =>
  queryOptions({
    queryKey: ['states', 'keys', root],
    queryFn: () => client.keys.all(root),
    structuralSharing: false,
  });

/** The workflow record in a state. */
export const workflow = (client: Countersign, id: string) =>
  queryOptions({ queryKey: ['states', 'workflow', id], queryFn: () => client.workflow.show(id) });

/** An archive never changes. */
export const archive = (client: Countersign, stateId: string, id: string) =>
  queryOptions({
    queryKey: ['archives', stateId, id],
    queryFn: () => client.workflow.archive(stateId, id),
    staleTime: Infinity,
  });

const CHILDREN = 200;

/** The completions of a tree, the oldest of them. */
export const treeCompletions = (client: Countersign, root: string) =>
  queryOptions({
    queryKey: ['completions', 'tree', root],
    queryFn: () => client.sessions.completions({ root_session: root, limit: CHILDREN }),
  });
