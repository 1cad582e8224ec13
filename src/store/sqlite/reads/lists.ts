// Filtered lists in pages. The queries are built per call: the filters vary too much to prepare them.
import { and, asc, desc, eq, exists, gt, inArray, isNull, lt, or, sql } from 'drizzle-orm';
import type {
  Callback,
  Completion,
  CompletionStatus,
  Run,
  Session,
  WorkflowSchema,
} from '../../../domain/records/records.js';
import type { Page, PageRequest } from '../../../ports/storage/page.js';
import type { Reader } from '../../../ports/storage/reader.js';
import type { Db } from '../db.js';
import { inOrder, where } from '../../lists/list-order.js';
import { pageOf } from '../../lists/pages.js';
import type { OnDamage } from '../../rows/intact-rows.js';
import * as rows from '../tables/rows.js';
import { callbacks, completions, runs, schemas, sessions } from '../tables/tables.js';

type Filter<List extends 'sessions' | 'completions' | 'runs' | 'callbacks' | 'schemas'> = Parameters<
  Reader[List]
>[0];

/** The database of the lists, and the listener for damaged records. */
export interface Lists {
  readonly db: Db;
  readonly onDamage: OnDamage;
}

export function listSessions(
  { db, onDamage }: Lists,
  filter: Filter<'sessions'>,
  page: PageRequest,
): Page<Session> {
  const order = inOrder(sessions.seq, page);
  return pageOf({ list: 'sessions', kind: 'session', onDamage }, page, (after, rowsMax) =>
    db
      .select({ seq: sessions.seq, record: rows.sessionColumns })
      .from(sessions)
      .where(
        and(
          order.after(after),
          isNull(sessions.deletedAt),
          where(filter.rootSessionId, (id) => eq(sessions.rootSessionId, id)),
          where(filter.parentSessionId, (id) => eq(sessions.parentSessionId, id)),
          where(filter.executorSessionId, (id) => eq(sessions.executorSessionId, id)),
          where(filter.status, (status) => eq(sessions.status, status)),
          where(filter.completionStatus, (status) => exists(completionOf(db, status))),
        ),
      )
      .orderBy(order.by)
      .limit(rowsMax)
      .all(),
  );
}

/** The completion of a session's current generation, if it has the status. */
function completionOf(db: Lists['db'], status: CompletionStatus) {
  return db
    .select({ seq: completions.seq })
    .from(completions)
    .where(and(isCurrent, eq(completions.status, status)));
}

const isCurrent = and(
  eq(completions.sessionId, sessions.sessionId),
  eq(completions.generation, sessions.generation),
);

export function listCompletions(
  { db, onDamage }: Lists,
  filter: Filter<'completions'>,
  page: PageRequest,
): Page<Completion> {
  const order = inOrder(completions.seq, page);
  return pageOf({ list: 'completions', kind: 'completion', onDamage }, page, (after, rowsMax) =>
    db
      .select({ seq: completions.seq, record: rows.completionColumns })
      .from(completions)
      .innerJoin(sessions, and(isCurrent, isNull(sessions.deletedAt)))
      .where(
        and(
          order.after(after),
          where(filter.status, (status) => eq(completions.status, status)),
          where(filter.rootSessionId, (id) => eq(completions.rootSessionId, id)),
        ),
      )
      .orderBy(order.by)
      .limit(rowsMax)
      .all(),
  );
}

export function listRuns({ db, onDamage }: Lists, filter: Filter<'runs'>, page: PageRequest): Page<Run> {
  const order = inOrder(runs.seq, page);
  return pageOf({ list: 'runs', kind: 'run', onDamage }, page, (after, rowsMax) =>
    db
      .select({ seq: runs.seq, record: rows.runColumns })
      .from(runs)
      .where(
        and(
          order.after(after),
          where(filter.status, (status) => eq(runs.status, status)),
          where(filter.sessionId, (id) => eq(runs.sessionId, id)),
          where(filter.rootSessionId, (id) => eq(runs.rootSessionId, id)),
        ),
      )
      .orderBy(order.by)
      .limit(rowsMax)
      .all(),
  );
}

export function listCallbacks(
  { db, onDamage }: Lists,
  filter: Filter<'callbacks'>,
  page: PageRequest,
): Page<Callback> {
  const order = inOrder(callbacks.seq, page);
  return pageOf({ list: 'callbacks', kind: 'callback', onDamage }, page, (after, rowsMax) =>
    db
      .select({ seq: callbacks.seq, record: rows.callbackColumns })
      .from(callbacks)
      .where(
        and(
          order.after(after),
          where(filter.status, (status) => inArray(callbacks.status, status)),
          where(filter.parentSessionId, (id) => eq(callbacks.parentSessionId, id)),
          where(filter.childSessionId, (id) => eq(callbacks.childSessionId, id)),
          where(filter.delivery, (delivery) => eq(callbacks.delivery, delivery)),
          where(filter.rootSessionId, (id) => eq(callbacks.rootSessionId, id)),
        ),
      )
      .orderBy(order.by)
      .limit(rowsMax)
      .all(),
  );
}

export function listSchemas(
  { db, onDamage }: Lists,
  filter: Filter<'schemas'>,
  page: PageRequest,
): Page<WorkflowSchema> {
  return pageOf({ list: 'schemas', kind: 'schema', onDamage }, page, (after, rowsMax) =>
    db
      .select({ seq: schemas.seq, record: rows.schemaColumns })
      .from(schemas)
      .where(
        and(
          gt(schemas.seq, after ?? 0),
          where(filter.name, (name) => eq(schemas.name, name)),
          where(filter.reachableFrom, (id) =>
            or(isNull(schemas.ownerRootSessionId), eq(schemas.ownerRootSessionId, id)),
          ),
          sql`not exists (select 1 from workflow_schemas newer
            where newer.name = ${schemas.name} and newer.version > ${schemas.version})`,
        ),
      )
      .orderBy(asc(schemas.seq))
      .limit(rowsMax)
      .all(),
  );
}

/** Newest first. */
export function listSchemaVersions(
  { db, onDamage }: Lists,
  name: string,
  page: PageRequest,
): Page<WorkflowSchema> {
  return pageOf({ list: 'schemaVersions', kind: 'schema', onDamage }, page, (after, rowsMax) =>
    db
      .select({ seq: schemas.version, record: rows.schemaColumns })
      .from(schemas)
      .where(and(eq(schemas.name, name), after === null ? undefined : lt(schemas.version, after)))
      .orderBy(desc(schemas.version))
      .limit(rowsMax)
      .all(),
  );
}
