// The list of states in pages, quick in a database of many states: the positions of a page are found first, then the heads at
// these positions are read.
import { and, eq, exists, inArray, or } from 'drizzle-orm';
import type { StateHead } from '../../../domain/records/records.js';
import type { Page, PageRequest } from '../../../ports/storage/page.js';
import { inOrderOfStates } from '../../lists/list-order.js';
import { isRootNamed, states as statesOf, type Filter } from '../../lists/lists.js';
import { pageOf } from '../../lists/pages.js';
import type { Steps } from '../../steps.js';
import type { OnDamage } from '../../rows/intact-rows.js';
import type { Db } from '../db.js';
import * as rows from '../tables/rows.js';
import { schemas, sessions, stateHeads as heads, states } from '../tables/tables.js';

/** The stored rows, or the heads where a version or a time is asked for: rows are those of the last snapshots. */
type Source = typeof states | typeof heads;

/** So many roots with a name are looked up first. If there are more, the states are searched in their order. */
const NAMED_FIRST_MAX = 2000;

export function listStates(
  db: Db,
  filter: Filter<'states'>,
  page: PageRequest,
  onDamage: OnDamage,
): Steps<Page<StateHead>> {
  const isByTime = page.order === 'changed' || filter.updatedSince !== undefined;
  const source = isByTime ? heads : states;
  const search = filter.search === undefined ? undefined : searched(db, source, filter.search);
  const list = statesOf({ states: source, schemas }, filter, page, search);
  return pageOf(list, page, onDamage, ({ where, by, rowsMax }) => {
    const positions = db
      .select({ seq: source.seq })
      .from(source)
      .where(where)
      .orderBy(...by)
      .limit(rowsMax);
    return db
      .select({ seq: heads.seq, at: heads.updatedAt, record: rows.stateColumns })
      .from(heads)
      .where(inArray(heads.seq, positions))
      .orderBy(...inOrderOfStates(heads, page).by)
      .all();
  });
}

/** States with this id, or whose root has a name that starts so. */
function searched(db: Db, source: Source, text: string) {
  const named = db.select({ id: sessions.sessionId }).from(sessions).where(isRootNamed({ sessions }, text));
  const few = db
    .select({ id: sessions.sessionId })
    .from(sessions)
    .where(isRootNamed({ sessions }, text))
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
            .where(and(eq(sessions.sessionId, source.rootSessionId), isRootNamed({ sessions }, text))),
        ),
  );
}
