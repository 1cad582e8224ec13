// Reads which versions of each state's history are available.
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { HistoryRange } from '../../../domain/states/retention.js';
import type { Page, PageRequest } from '../../../ports/storage/page.js';
import { first, type Db } from '../connection/db.js';
import { oldestFirst } from '../../lists/list-order.js';
import { readPage, type Row } from '../../lists/pages.js';
import { damageOf, intact, type OnDamage } from '../../rows/intact-rows.js';
import { cuts, events, states } from '../tables/tables.js';

function prepareHistoryRanges(db: Db) {
  return {
    oldest: db
      .select({ oldestVersion: cuts.oldestVersion })
      .from(cuts)
      .innerJoin(states, eq(states.seq, cuts.stateKey))
      .where(eq(states.stateId, sql.placeholder('state')))
      .prepare('ranges_oldest'),
    states: db
      .select({
        seq: states.seq,
        stateId: states.stateId,
        version: states.version,
        oldestVersion: cuts.oldestVersion,
      })
      .from(states)
      .leftJoin(cuts, eq(cuts.stateKey, states.seq))
      .where(gt(states.seq, sql.placeholder('after')))
      .orderBy(asc(states.seq))
      .limit(sql.placeholder('rowsMax'))
      .prepare('ranges_states'),
    madeAt: db
      .select({ at: events.createdAt })
      .from(events)
      .where(and(eq(events.stateKey, sql.placeholder('key')), eq(events.version, sql.placeholder('version'))))
      .prepare('ranges_madeAt'),
  };
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
  async oldestVersion(stateId: string): Promise<number> {
    const cut = await first(this.#prepared.oldest.execute({ state: stateId }));
    return cut === undefined ? 1 : intact('state', { ...cut, stateId }).oldestVersion;
  }

  /** See `Reader.historyRanges`. */
  async page(agedBefore: number, request: PageRequest): Promise<Page<HistoryRange>> {
    const list = { name: 'history-extents', kind: 'state', order: oldestFirst(states.seq) } as const;
    return readPage(list, request, this.onDamage, async ({ after, rowsMax }) => {
      const found: Row<HistoryRange>[] = [];
      for (const { seq, ...row } of await this.#prepared.states.execute({
        after: after?.seq ?? 0,
        rowsMax,
      })) {
        const range = { ...row, oldestVersion: row.oldestVersion ?? 1 };
        // The list leaves out a damaged row.
        const isDamaged = damageOf('state', range) !== null;
        const agedVersion = isDamaged ? 0 : await this.#agedVersion(seq, range, agedBefore);
        found.push({ seq, record: { ...range, agedVersion } });
      }
      return found;
    });
  }

  /** Binary search: creation times ascend with version numbers. */
  async #agedVersion(key: number, range: Omit<HistoryRange, 'agedVersion'>, before: number): Promise<number> {
    const isAged = async (version: number) =>
      ((await first(this.#prepared.madeAt.execute({ key, version })))?.at ?? Infinity) < before;
    if (before === 0 || !(await isAged(range.oldestVersion))) return 0;
    let [aged, fresh] = [range.oldestVersion, range.version + 1];
    while (fresh - aged > 1) {
      const middle = Math.floor((aged + fresh) / 2);
      if (await isAged(middle)) aged = middle;
      else fresh = middle;
    }
    return aged;
  }
}
