// Gives every view the client, the state of the connection and what changed last.
import { QueryClient, QueryClientProvider, type Query } from '@tanstack/react-query';
import {
  createContext,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react';
import { CountersignError, type Countersign, type WatchEvent } from '../../client/index.js';
import { Connection, isSendable, keptToken, type Link } from './connection.js';

type Change = Extract<WatchEvent, { event: 'workflow_state_updated' }>['data'];

/** A change without what it wrote, which may be a megabyte. */
export interface StateChange extends Pick<
  Change,
  'state_id' | 'version' | 'updated_by_session' | 'token_name' | 'timestamp'
> {
  /** The locations that it changed. */
  readonly locations: readonly string[];
}

function withoutValues(change: Change): StateChange {
  const { state_id, version, updated_by_session, token_name, timestamp, patch } = change;
  const locations = patch.map(({ path }) => path);
  return { state_id, version, updated_by_session, token_name, timestamp, locations };
}

interface Api {
  readonly connection: Connection;
  readonly token: string | null;
  /** Why the last token of this tab is gone, if it was not signed out. */
  readonly signedOutBecause: SignedOutBecause | null;
  readonly signIn: (token: string) => void;
  readonly signOut: () => void;
  /** The last change of each state that was seen. */
  readonly changes: ReadonlyMap<string, StateChange>;
}

/** `ended`: it was accepted before. */
export type SignedOutBecause = 'refused' | 'ended';

interface Access {
  readonly token: string | null;
  readonly signedOutBecause: SignedOutBecause | null;
}

const Context = createContext<Api | null>(null);

/** Shortest pause between two requests for the same list while changes arrive, milliseconds. */
const REFRESH_MS = 700;
/** If answers are slow, the pause is this many times as long as they took, up to a maximum. */
const REFRESH_SHARE = 20;
const REFRESH_MS_MAX = 5000;
/** Pause before a stream that could not begin is opened again, milliseconds. */
const REOPEN_MS = 2000;
const CHANGES_MAX = 200;

export function ApiProvider({ children }: { readonly children: ReactNode }) {
  const [{ token, signedOutBecause }, setAccess] = useState<Access>(() => ({
    token: keptToken.get(),
    signedOutBecause: null,
  }));
  const [changes, setChanges] = useState<ReadonlyMap<string, StateChange>>(new Map());
  // Each token has its own cache.
  const connection = useMemo(() => new Connection(token), [token]);
  const queries = useMemo(() => createQueries(), [connection]);
  useEffect(() => {
    const ended = new AbortController();
    const seen = (change: StateChange) =>
      setChanges((before) => new Map([...before, [change.state_id, change] as const].slice(-CHANGES_MAX)));
    void follow(connection, queries, seen, ended.signal);
    return () => ended.abort();
  }, [connection, queries]);
  useEffect(
    () =>
      connection.subscribe(() => {
        if (token === null || connection.link() !== 'closed') return;
        keptToken.remove();
        setAccess({ token: null, signedOutBecause: connection.accepted ? 'ended' : 'refused' });
      }),
    [connection, token],
  );
  useEffect(
    () =>
      connection.subscribe(() => {
        if (connection.link() === 'live') void askAgain(queries);
      }),
    [connection, queries],
  );
  const api = useMemo(
    () => ({ connection, token, signedOutBecause, changes, ...accessOf(setAccess) }),
    [connection, token, signedOutBecause, changes],
  );
  return (
    <Context value={api}>
      <QueryClientProvider key={token ?? ''} client={queries}>
        {children}
      </QueryClientProvider>
    </Context>
  );
}

function accessOf(set: (access: Access) => void): Pick<Api, 'signIn' | 'signOut'> {
  return {
    signIn: (token) => {
      const sendable = isSendable(token);
      if (sendable) keptToken.set(token);
      set(sendable ? { token, signedOutBecause: null } : { token: null, signedOutBecause: 'refused' });
    },
    signOut: () => {
      keptToken.remove();
      set({ token: null, signedOutBecause: null });
    },
  };
}

function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        retry: (count, error) => !(error instanceof CountersignError) && count < 2,
        // A service on this machine answers also where the browser believes to be offline.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}

/** Asks again for what failed while the service was away: no event may tell of it. */
async function askAgain(queries: QueryClient): Promise<void> {
  await queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
}

export function useApi(): Api {
  const api = useContext(Context);
  if (api === null) throw new Error('useApi is used outside of ApiProvider');
  return api;
}

export function useClient(): Countersign {
  return useApi().connection.client;
}

export function useLink(): Link {
  const { connection } = useApi();
  return useSyncExternalStore(connection.subscribe, connection.link);
}

/** Failures after which no further attempt may succeed. */
const ENDED: Readonly<Partial<Record<string, Link>>> = { unauthorized: 'closed', forbidden: 'unfollowed' };

/**
 * Follows all changes until the signal ends it. The client resumes a lost stream after the last event, so no change
 * is missed; if it cannot, everything is requested again.
 */
async function follow(
  { client, set }: Connection,
  queries: QueryClient,
  seen: (change: StateChange) => void,
  signal: AbortSignal,
): Promise<void> {
  const refresh = refreshing(queries, signal);
  while (!signal.aborted) {
    try {
      for await (const event of client.watch({}, { signal })) {
        if (event.event === 'workflow_state_updated') seen(withoutValues(event.data));
        // The first bookmark comes when the stream begins: what was read before it may be old.
        const isNew = event.event === 'workflow_state_updated' && event.data.kind === 'create';
        refresh(isNew ? 'workflow_state_created' : event.event);
      }
    } catch (error) {
      const ended = error instanceof CountersignError ? ENDED[error.code] : undefined;
      set(ended ?? 'lost');
      if (ended !== undefined) return;
    }
    await new Promise((resolve) => setTimeout(resolve, REOPEN_MS));
    refresh('reopened');
  }
}

/** The queries that each event invalidates. A write into a state changes no number of the overview. */
const CONCERNED: Readonly<Record<string, readonly string[]>> = {
  workflow_state_created: ['states', 'sessions', 'overview'],
  workflow_state_updated: ['states'],
  workflow_state_deleted: ['states', 'overview'],
  session_updated: ['sessions', 'completions', 'overview'],
  completion_updated: ['completions', 'sessions', 'overview'],
  callback_updated: ['callbacks', 'overview'],
  run_updated: ['runs', 'runners', 'overview'],
};

/**
 * Asks again for all that is shown of these names. A first read that is under way may answer with what was before: it is
 * not asked anew while it is, and so once more after it.
 */
export async function invalidate(
  queries: QueryClient,
  concerns: (name: string) => boolean = () => true,
): Promise<void> {
  const isConcerned = ({ queryKey: [name] }: Query) => concerns(String(name));
  const first = queries
    .getQueryCache()
    .findAll({ fetchStatus: 'fetching', predicate: isConcerned })
    .filter(({ state }) => state.data === undefined);
  await queries.invalidateQueries({ predicate: isConcerned });
  if (first.length > 0) await queries.invalidateQueries({ predicate: (query) => first.includes(query) });
}

function refreshing(queries: QueryClient, signal: AbortSignal): (event: string) => void {
  const due = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | null = null;
  let begun = false;
  let pauseMs = REFRESH_MS;
  const refresh = async () => {
    const names = [...due];
    due.clear();
    const from = performance.now();
    await invalidate(queries, (name) => names.includes('all') || names.includes(name));
    const tookMs = performance.now() - from;
    pauseMs = Math.min(Math.max(REFRESH_MS, REFRESH_SHARE * tookMs), REFRESH_MS_MAX);
  };
  return (event) => {
    if (event === 'bookmark' && begun) return;
    begun = true;
    for (const name of CONCERNED[event] ?? ['all']) due.add(name);
    timer ??= setTimeout(() => {
      timer = null;
      if (!signal.aborted) void refresh();
    }, pauseMs);
  };
}
