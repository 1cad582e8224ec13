// The queries of the lists. The first part of a key names what invalidates it, the second the query; ids and names come
// after both.
import { queryOptions } from '@tanstack/react-query';
import type {
  CallbackView,
  CompletionListed,
  Countersign,
  DeliveryView,
  RunView,
} from '../../client/index.js';

const PAGE = 50;

/** Filters of the lists with a status. */
export type ListStatus = RunStatus | UpdateStatus | CallbackStatus | DeliveryStatus;

/** The filters of a list, as the address holds them. */
export interface ListFilter<Status extends ListStatus> {
  readonly status?: Status | undefined;
  readonly root?: string | undefined;
  readonly cursor?: string | undefined;
  /** The newest first by default. */
  readonly order?: Order | undefined;
}

export type Order = 'oldest' | 'newest';
export type StateOrder = Order | 'changed';

function orderedQueryOf<Status extends ListStatus>(filter: ListFilter<Status>) {
  return { ...queryOf(filter), order: filter.order ?? 'newest' };
}

function queryOf<Status extends ListStatus>({ status, root, cursor }: ListFilter<Status>) {
  return {
    limit: PAGE,
    ...(status === undefined ? {} : { status }),
    ...(root === undefined ? {} : { root_session: root }),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

export type RunStatus = RunView['status'];
export const RUN_STATUSES: readonly RunStatus[] = [
  'pending',
  'claimed',
  'running',
  'stopping',
  'completed',
  'failed',
  'stopped',
  'timed_out',
];

export const runs = (client: Countersign, filter: ListFilter<RunStatus>) =>
  queryOptions({
    queryKey: ['runs', 'list', filter],
    queryFn: () => client.runs.list(orderedQueryOf(filter)),
    placeholderData: (before) => before,
  });

/** The purpose of a run, in words. */
export const PURPOSES = {
  work: 'work',
  state_update: 'record the result',
  callback: 'deliver callbacks',
} as const satisfies Readonly<Record<RunView['purpose'], string>>;

const SESSION_RUNS = 20;

/** The newest runs of one session. */
export const runsOfSession = (client: Countersign, session: string) =>
  queryOptions({
    queryKey: ['runs', 'session', session],
    queryFn: () => client.runs.list({ session, order: 'newest', limit: SESSION_RUNS }),
  });

export const run = (client: Countersign, id: string) =>
  queryOptions({ queryKey: ['runs', 'one', id], queryFn: () => client.runs.get(id) });

export type UpdateStatus = NonNullable<CompletionListed['state_update_status']>;
export const UPDATE_STATUSES: readonly UpdateStatus[] = ['pending', 'failed', 'completed', 'skipped'];

export const completionList = (client: Countersign, filter: ListFilter<UpdateStatus>) =>
  queryOptions({
    queryKey: ['completions', 'list', filter],
    queryFn: () => client.sessions.completions(orderedQueryOf(filter)),
    placeholderData: (before) => before,
  });

export type CallbackStatus = CallbackView['status'];
export const CALLBACK_STATUSES: readonly CallbackStatus[] = [
  'dead',
  'held',
  'queued',
  'delivered',
  'acknowledged',
];

export const callbacks = (client: Countersign, filter: ListFilter<CallbackStatus>) =>
  queryOptions({
    queryKey: ['callbacks', 'list', filter],
    queryFn: () => client.callbacks.list(orderedQueryOf(filter)),
    placeholderData: (before) => before,
  });

/** How often what no event tells of is asked for again, milliseconds. */
const POLL_MS = 10_000;

export const webhooks = (client: Countersign, cursor?: string) =>
  queryOptions({
    queryKey: ['webhooks', 'list', cursor],
    queryFn: () => client.webhooks.list(queryOf({ cursor })),
    refetchInterval: POLL_MS,
    placeholderData: (before) => before,
  });

export const webhook = (client: Countersign, id: string) =>
  queryOptions({
    queryKey: ['webhooks', 'one', id],
    queryFn: () => client.webhooks.get(id),
    refetchInterval: POLL_MS,
  });

export type DeliveryStatus = DeliveryView['status'];
export const DELIVERY_STATUSES: readonly DeliveryStatus[] = [
  'dead',
  'checking',
  'pending',
  'sending',
  'delivered',
];
const DELIVERIES_POLL_MS = 3000;

/** Deliveries of a webhook; those of a tree cannot be asked for. */
export type DeliveryFilter = Omit<ListFilter<DeliveryStatus>, 'root' | 'order'>;

export const deliveries = (client: Countersign, webhookId: string, filter: DeliveryFilter) =>
  queryOptions({
    queryKey: ['webhooks', 'deliveries', webhookId, filter],
    queryFn: () => client.webhooks.deliveries(webhookId, queryOf(filter)),
    refetchInterval: DELIVERIES_POLL_MS,
    placeholderData: (before) => before,
  });

/** Each name with its newest version. */
export const schemas = (client: Countersign, cursor?: string) =>
  queryOptions({
    queryKey: ['schemas', 'list', cursor],
    queryFn: () => client.schemas.list(queryOf({ cursor })),
    refetchInterval: POLL_MS,
    placeholderData: (before) => before,
  });

/** Newest first. */
export const schemaVersions = (client: Countersign, name: string, cursor?: string) =>
  queryOptions({
    queryKey: ['schemas', 'versions', name, cursor],
    queryFn: () => client.schemas.versions(name, queryOf({ cursor })),
    refetchInterval: POLL_MS,
    placeholderData: (before) => before,
  });

/** One version, or the newest. A version never changes. */
export const schema = (client: Countersign, name: string, version?: number) =>
  queryOptions({
    queryKey: ['schemas', 'version', name, version],
    queryFn: () => client.schemas.get(name, version),
    ...(version === undefined ? { refetchInterval: POLL_MS } : { staleTime: Infinity }),
    placeholderData: (before) => before,
  });
