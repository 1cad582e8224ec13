// The lists of records: which each has, by its filter, and in which order. For the columns of either database.
import { and, eq, gte, inArray, isNull, lt, or, sql, type AnyColumn, type SQL } from 'drizzle-orm';
import type { PageRequest } from '../../ports/storage/page.js';
import type { Reader } from '../../ports/storage/reader.js';
import type { WebhookReader } from '../../ports/storage/webhook-store.js';
import { inOrder, inOrderOfStates, newestFirst, oldestFirst } from './list-order.js';
import type { List } from './pages.js';

type Columns<Name extends string> = Readonly<Record<Name, AnyColumn>>;

export type Filter<Name extends 'sessions' | 'completions' | 'runs' | 'callbacks' | 'schemas' | 'states'> =
  Parameters<Reader[Name]>[0];

/** The columns that lists filter and order by. */
interface ListedTables {
  readonly sessions: Columns<
    | 'seq'
    | 'sessionId'
    | 'sessionName'
    | 'generation'
    | 'depth'
    | 'deletedAt'
    | 'rootSessionId'
    | 'parentSessionId'
    | 'executorSessionId'
    | 'status'
  >;
  readonly completions: Columns<'seq' | 'sessionId' | 'generation' | 'rootSessionId' | 'status'>;
  readonly runs: Columns<'seq' | 'status' | 'sessionId' | 'rootSessionId'>;
  readonly callbacks: Columns<
    'seq' | 'status' | 'parentSessionId' | 'childSessionId' | 'delivery' | 'rootSessionId'
  >;
  readonly schemas: Columns<'seq' | 'schemaId' | 'name' | 'version' | 'ownerRootSessionId'>;
  readonly states: Columns<'seq' | 'stateId' | 'rootSessionId' | 'schemaId' | 'updatedAt'>;
  readonly webhooks: Columns<'seq' | 'rootSessionId'>;
  readonly deliveries: Columns<'seq' | 'webhookId' | 'status'>;
}

type Of<Name extends keyof ListedTables> = Pick<ListedTables, Name>;

/** A condition, if the filter has a value for it. */
function where<T>(value: T | undefined, condition: (value: T) => SQL | undefined): SQL | undefined {
  return value === undefined ? undefined : condition(value);
}

/** The members of a filter that columns of the same names have to equal. */
function equal<Name extends string>(
  columns: Columns<Name>,
  filter: Readonly<Partial<Record<Name, string | undefined>>>,
  names: readonly Name[],
): SQL | undefined {
  return and(...names.map((name) => where<string>(filter[name], (value) => eq(columns[name], value))));
}

/** A completion that is of the session's current generation. */
export function isCurrent({ sessions, completions }: Of<'sessions' | 'completions'>): SQL | undefined {
  return and(eq(completions.sessionId, sessions.sessionId), eq(completions.generation, sessions.generation));
}

export function sessions(
  { sessions, completions }: Of<'sessions' | 'completions'>,
  filter: Filter<'sessions'>,
  page: PageRequest,
): List {
  return {
    name: 'sessions',
    kind: 'session',
    order: inOrder(sessions.seq, page),
    where: and(
      isNull(sessions.deletedAt),
      equal(sessions, filter, ['rootSessionId', 'parentSessionId', 'executorSessionId', 'status']),
      where(
        filter.completionStatus,
        (status) => sql`exists (select 1 from completions
          where ${and(isCurrent({ sessions, completions }), eq(completions.status, status))})`,
      ),
    ),
  };
}

export function completions(
  { completions }: Of<'completions'>,
  filter: Filter<'completions'>,
  page: PageRequest,
): List {
  return {
    name: 'completions',
    kind: 'completion',
    order: inOrder(completions.seq, page),
    where: equal(completions, filter, ['status', 'rootSessionId']),
  };
}

export function runs({ runs }: Of<'runs'>, filter: Filter<'runs'>, page: PageRequest): List {
  return {
    name: 'runs',
    kind: 'run',
    order: inOrder(runs.seq, page),
    where: equal(runs, filter, ['status', 'sessionId', 'rootSessionId']),
  };
}

export function callbacks(
  { callbacks }: Of<'callbacks'>,
  { status, ...filter }: Filter<'callbacks'>,
  page: PageRequest,
): List {
  return {
    name: 'callbacks',
    kind: 'callback',
    order: inOrder(callbacks.seq, page),
    where: and(
      where(status, (some) => inArray(callbacks.status, some)),
      equal(callbacks, filter, ['parentSessionId', 'childSessionId', 'delivery', 'rootSessionId']),
    ),
  };
}

/** The newest version of each name. */
export function schemas({ schemas }: Of<'schemas'>, filter: Filter<'schemas'>): List {
  return {
    name: 'schemas',
    kind: 'schema',
    order: oldestFirst(schemas.seq),
    where: and(
      equal(schemas, { name: filter.name }, ['name']),
      where(filter.reachableFrom, (id) =>
        or(isNull(schemas.ownerRootSessionId), eq(schemas.ownerRootSessionId, id)),
      ),
      sql`not exists (select 1 from workflow_schemas newer
        where newer.name = ${schemas.name} and newer.version > ${schemas.version})`,
    ),
  };
}

/** Newest first. */
export function schemaVersions({ schemas }: Of<'schemas'>, name: string): List {
  return {
    name: 'schemaVersions',
    kind: 'schema',
    order: newestFirst(schemas.version),
    where: eq(schemas.name, name),
  };
}

/** @param search - The condition for `filter.search`. */
export function states(
  { states, schemas }: Of<'states' | 'schemas'>,
  filter: Filter<'states'>,
  page: PageRequest,
  search: SQL | undefined,
): List {
  return {
    name: 'states',
    kind: 'state',
    order: inOrderOfStates(states, page),
    where: and(
      equal(states, { rootSessionId: filter.rootSessionId }, ['rootSessionId']),
      search,
      where(
        filter.schemaName,
        (name) =>
          sql`${states.schemaId} in (select ${schemas.schemaId} from workflow_schemas where ${eq(schemas.name, name)})`,
      ),
      where(filter.updatedSince, (since) => gte(states.updatedAt, since)),
      where(
        filter.orphaned,
        (orphaned) => sql`${orphaned ? sql`not exists` : sql`exists`} (select 1 from sessions root
          where root.session_id = ${states.rootSessionId} and root.deleted_at is null)`,
      ),
    ),
  };
}

/**
 * Root sessions whose name starts so. No character of a name is above `~`. A range of names can be found in their index,
 * unlike a pattern.
 */
export function isRootNamed({ sessions }: Of<'sessions'>, start: string): SQL | undefined {
  return and(
    gte(sessions.sessionName, start),
    lt(sessions.sessionName, `${start}~`),
    isNull(sessions.deletedAt),
    eq(sessions.depth, 0),
  );
}

export function webhooks({ webhooks }: Of<'webhooks'>, filter: Parameters<WebhookReader['list']>[0]): List {
  return {
    name: 'webhooks',
    kind: 'webhook',
    order: oldestFirst(webhooks.seq),
    where: equal(webhooks, filter, ['rootSessionId']),
  };
}

/** Newest first. */
export function deliveries(
  { deliveries }: Of<'deliveries'>,
  filter: Parameters<WebhookReader['deliveries']>[0],
): List {
  return {
    name: 'webhookDeliveries',
    kind: 'delivery',
    order: newestFirst(deliveries.seq),
    where: equal(deliveries, filter, ['webhookId', 'status']),
  };
}
