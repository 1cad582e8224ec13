// Reads which versions of each state's history are available.
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { HistoryRange } from '../../../domain/states/retention.js';
import type { Page, PageRequest } from '../../../ports/storage/page.js';
import type { Db } from '../db.js';
import { oldestFirst } from '../../lists/list-order.js';
import { pageOf } from '../../lists/pages.js';
import { damageOf, intact, type OnDamage } from '../../rows/intact-rows.js';
import { cuts, events, stateHeads as heads, states } from '../tables/tables.js';
import { whenUsed } from '../when-used.js';

function prepareHistoryRanges(db: Db) {
  return whenUsed({
    oldest: () =>
      db
        .select({ oldestVersion: cuts.oldestVersion })
        .from(cuts)
        .innerJoin(states, eq(states.seq, cuts.stateKey))
        .where(eq(states.stateId, sql.placeholder('state')))
        .prepare(),
    states: () =>
      db
        .select({
          seq: heads.seq,
          stateId: heads.stateId,
          version: heads.version,
          oldestVersion: cuts.oldestVersion,
        })
        .from(heads)
        .leftJoin(cuts, eq(cuts.stateKey, heads.seq))
        .where(gt(heads.seq, sql.placeholder('after')))
        .orderBy(asc(heads.seq))
        .limit(sql.placeholder('rowsMax'))
        .prepare(),
    madeAt: () =>
      db
        .select({ at: events.createdAt })
        .from(events)
        .where(
          and(eq(events.stateKey, sql.placeholder('key')), eq(events.version, sql.placeholder('version'))),
        )
        .prepare(),
  });
}

/** Reads history ranges. */
export class HistoryRanges {
  readonly #prepared: ReturnType<typeof prepareHistoryRanges>;

  constructor(
    db: Db,
    private readonly onDamage: OnDamage,
  ) {
    this.#prepared = prepareHistoryRanges(db);
  }

  /** @throws RecordDamagedError */
  oldestVersion(stateId: string): number {
    const cut = this.#prepared.oldest.get({ state: stateId });
    return cut === undefined ? 1 : intact('state', { ...cut, stateId }).oldestVersion;
  }

  /** See `Reader.historyRanges`. */
  page(agedBefore: number, request: PageRequest): Page<HistoryRange> {
    const list = { name: 'history-extents', kind: 'state', order: oldestFirst(heads.seq) } as const;
    return pageOf(list, request, this.onDamage, ({ after, rowsMax }) =>
      this.#prepared.states.all({ after: after?.seq ?? 0, rowsMax }).map(({ seq, ...row }) => {
        const range = { ...row, oldestVersion: row.oldestVersion ?? 1 };
        // The list leaves out a damaged row.
        const isDamaged = damageOf('state', range) !== null;
        const agedVersion = isDamaged ? 0 : this.#agedVersion(seq, range, agedBefore);
        return { seq, record: { ...range, agedVersion } };
      }),
    );
  }

  /** Binary search: creation times ascend with version numbers. */
  #agedVersion(key: number, range: Omit<HistoryRange, 'agedVersion'>, before: number): number {
    const isAged = (version: number) =>
      (this.#prepared.madeAt.get({ key, version })?.at ?? Infinity) < before;
    if (before === 0 || !isAged(range.oldestVersion)) return 0;
    let [aged, fresh] = [range.oldestVersion, range.version + 1];
    while (fresh - aged > 1) {
      const middle = Math.floor((aged + fresh) / 2);
      if (isAged(middle)) aged = middle;
      else fresh = middle;
    }
    return aged;
  }
}
