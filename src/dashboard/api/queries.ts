// What the views ask for. The first part of a key names what a change makes old.
import { queryOptions } from '@tanstack/react-query';
import type { Countersign } from '../../client/index.js';

const PAGE = 50;

export type SessionStatus = 'pending' | 'running' | 'finished' | 'failed' | 'stopped';

export const overview = (client: Countersign) =>
  queryOptions({ queryKey: ['overview'], queryFn: () => client.operations.overview() });

export const completions = (client: Countersign, status: 'pending' | 'failed', root?: string) =>
  queryOptions({
    queryKey: ['completions', status, root],
    queryFn: () =>
      client.sessions.completions({
        status,
        limit: PAGE,
        ...(root === undefined ? {} : { root_session: root }),
      }),
  });

export const completion = (client: Countersign, session: string) =>
  queryOptions({
    queryKey: ['completions', 'of', session],
    queryFn: () => client.sessions.completion(session),
  });

export const deadCallbacks = (client: Countersign) =>
  queryOptions({
    queryKey: ['callbacks', 'dead'],
    queryFn: () => client.callbacks.list({ status: 'dead', limit: PAGE }),
  });

export const sessions = (client: Countersign, status: SessionStatus) =>
  queryOptions({
    queryKey: ['sessions', status],
    queryFn: () => client.sessions.list({ status, limit: 200 }),
  });

export const session = (client: Countersign, id: string) =>
  queryOptions({ queryKey: ['sessions', id], queryFn: () => client.sessions.get(id) });

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
  queryOptions({ queryKey: ['runners'], queryFn: () => client.runners.list(), refetchInterval: 10_000 });

/** The ages to choose from in the list of states. */
export const AGES = { hour: 'last hour', day: 'last day', week: 'last week' } as const;

function ageMs(age: string): number {
  const hours = age === 'hour' ? 1 : age === 'day' ? 24 : 168;
  return hours * 3_600_000;
}

export interface StateFilter {
  readonly schema?: string | undefined;
  readonly root?: string | undefined;
  readonly since?: string | undefined;
  readonly cursor?: string | undefined;
}

export const states = (client: Countersign, { schema, root, since, cursor }: StateFilter) =>
  queryOptions({
    queryKey: ['states', 'list', schema, root, since, cursor],
    queryFn: () =>
      client.states.list({
        limit: PAGE,
        ...(schema === undefined ? {} : { schema }),
        ...(root === undefined ? {} : { root_session: root }),
        ...(since === undefined ? {} : { updated_since: new Date(Date.now() - ageMs(since)).toISOString() }),
        ...(cursor === undefined ? {} : { cursor }),
      }),
    placeholderData: (before) => before,
  });

export const state = (client: Countersign, id: string, at?: number) =>
  queryOptions({
    // An old version never changes.
    queryKey: at === undefined ? ['states', id] : ['versions', id, at],
    queryFn: () => client.states.get(id, at),
    ...(at === undefined ? {} : { staleTime: Infinity }),
    placeholderData: (before) => before,
  });

const HISTORY = 100;
/** A key is written less often than its state, so its writes are looked for in more versions. */
const KEY_HISTORY = 500;

/** The newest events, oldest first; with a key, only the writes that changed this top-level member. */
export const history = (client: Countersign, id: string, version: number, key?: string) => {
  const limit = key === undefined ? HISTORY : KEY_HISTORY;
  return queryOptions({
    queryKey: ['history', id, version, key],
    queryFn: () =>
      client.states.events(id, {
        since: Math.max(0, version - limit),
        limit,
        ...(key === undefined ? {} : { key }),
      }),
    placeholderData: (before, query) => (query?.queryKey[3] === key ? before : undefined),
  });
};

/** The newest events of a state that a session wrote, oldest first. */
export const sessionWrites = (client: Countersign, id: string, session: string, version: number) =>
  queryOptions({
    queryKey: ['history', id, version, 'session', session],
    queryFn: () =>
      client.states.events(id, {
        since: Math.max(0, version - KEY_HISTORY),
        limit: HISTORY,
        session,
      }),
  });

/** The top-level members of the state of a tree, with who wrote each last. */
export const keys = (client: Countersign, root: string) =>
  queryOptions({ queryKey: ['states', 'keys', root], queryFn: () => client.keys.all(root) });

/** The workflow record in a state. */
export const workflow = (client: Countersign, id: string) =>
  queryOptions({ queryKey: ['states', 'workflow', id], queryFn: () => client.workflow.show(id) });

const CHILDREN = 200;

/** The completions of a tree, the oldest of them. */
export const treeCompletions = (client: Countersign, root: string) =>
  queryOptions({
    queryKey: ['completions', 'tree', root],
    queryFn: () => client.sessions.completions({ root_session: root, limit: CHILDREN }),
  });
