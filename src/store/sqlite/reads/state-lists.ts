// The list of states in pages, quick in a database of many states: the places of a page are found first, then the heads at
// these places are read.
import { and, eq, exists, gte, inArray, lt, or, sql } from 'drizzle-orm';
import type { StateHead } from '../../../domain/records/records.js';
import type { Page, PageRequest } from '../../../ports/storage/page.js';
import type { Reader } from '../../../ports/storage/reader.js';
import { inOrderOfStates, where } from '../../lists/list-order.js';
import { pageOf } from '../../lists/pages.js';
import type { Lists } from './lists.js';
import * as rows from '../tables/rows.js';
import { schemas, sessions, stateHeads as heads, states } from '../tables/tables.js';

type Filter = Parameters<Reader['states']>[0];

/** The stored rows, or the heads where a version or a time is asked for: rows are those of the last snapshots. */
type Source = typeof states | typeof heads;

/** So many roots with a name are looked up first. If there are more, the states are searched in their order. */
const NAMED_FIRST_MAX = 2000;

export function listStates({ db, onDamage }: Lists, filter: Filter, page: PageRequest): Page<StateHead> {
  const isByTime = page.order === 'changed' || filter.updatedSince !== undefined;
  const source = isByTime ? heads : states;
  const { by } = inOrderOfStates(heads, page);
  const search = where(filter.search, (text) => searched(db, source, text));
  return pageOf({ list: 'states', kind: 'state', onDamage }, page, (_, rowsMax, after) => {
    const order = inOrderOfStates(source, page);
    const positions = db
      .select({ seq: source.seq })
      .from(source)
      .where(
        and(
          order.after(after),
          where(filter.rootSessionId, (id) => eq(source.rootSessionId, id)),
          search,
          where(filter.schemaName, (name) =>
            inArray(
              source.schemaId,
              db.select({ id: schemas.schemaId }).from(schemas).where(eq(schemas.name, name)),
            ),
          ),
          where(filter.updatedSince, (since) => gte(heads.updatedAt, since)),
          where(
            filter.orphaned,
            (orphaned) => sql`${orphaned ? sql`not exists` : sql`exists`} (select 1 from sessions root
              where root.session_id = ${source.rootSessionId} and root.deleted_at is null)`,
          ),
        ),
      )
      .orderBy(...order.by)
      .limit(rowsMax);
    return db
      .select({ seq: heads.seq, at: heads.updatedAt, record: rows.stateColumns })
      .from(heads)
      .where(inArray(heads.seq, positions))
      .orderBy(...by)
      .all();
  });
}

/** States with this id, or whose root has a name that starts so. */
function searched(db: Lists['db'], source: Source, text: string) {
  // No character of a name is above `~`. A range of names can be found in their index, unlike a pattern.
  const isNamed = and(
    gte(sessions.sessionName, text),
    lt(sessions.sessionName, `${text}~`),
    sql`${sessions.deletedAt} is null`,
    eq(sessions.depth, 0),
  );
  const named = db.select({ id: sessions.sessionId }).from(sessions).where(isNamed);
  const few = db
    .select({ id: sessions.sessionId })
    .from(sessions)
    .where(isNamed)
    .limit(NAMED_FIRST_MAX + 1)
    .all();
  return or(
    eq(source.stateId, text),
    few.length <= NAMED_FIRST_MAX
      ? inArray(source.rootSessionId, named)
      : exists(
          db
            .select({ id: sessions.sessionId })
            .from(sessions)
            .where(and(eq(sessions.sessionId, source.rootSessionId), isNamed)),
        ),
  );
}
