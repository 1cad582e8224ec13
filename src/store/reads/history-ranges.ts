// Reads which versions of each state's history are available.
import type { HistoryRange } from '../../domain/states/retention.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';
import type { Page, PageRequest } from '../../ports/storage/page.js';
import { page, type Row } from '../lists/pages.js';
import { damageOf, intact, type OnDamage } from '../rows/intact-rows.js';
import { answerOf, type Steps } from '../steps.js';

/** A state, with the oldest version of a compacted history. */
interface RangeRow extends Omit<HistoryRange, 'agedVersion' | 'oldestVersion'> {
  readonly seq: number;
  readonly oldestVersion: number | null;
}

export interface RangeStatements {
  /** The oldest version of a compacted history. */
  oldest(stateId: string): MaybePromise<{ readonly oldestVersion: number } | undefined>;
  /** The states after a number. */
  states(after: number, rowsMax: number): MaybePromise<readonly RangeRow[]>;
  /** When a version was written. */
  createdAt(seq: number, version: number): MaybePromise<{ readonly at: number } | undefined>;
}

/** Reads history ranges. */
export class HistoryRanges {
  constructor(
    private readonly statements: RangeStatements,
    private readonly onDamage: OnDamage,
  ) {}

  /** @throws RecordDamagedError */
  *oldestVersion(stateId: string): Steps<number> {
    const cut = yield* answerOf(this.statements.oldest(stateId));
    return cut === undefined ? 1 : intact('state', { ...cut, stateId }).oldestVersion;
  }

  /** See `Reader.historyRanges`. */
  page(agedBefore: number, request: PageRequest): Steps<Page<HistoryRange>> {
    const list = { name: 'history-extents', kind: 'state' } as const;
    return page(list, request, this.onDamage, (after, rowsMax) =>
      this.#rows(after?.seq ?? 0, rowsMax, agedBefore),
    );
  }

  *#rows(after: number, rowsMax: number, agedBefore: number): Steps<readonly Row<HistoryRange>[]> {
    const ranges: Row<HistoryRange>[] = [];
    for (const { seq, ...row } of yield* answerOf(this.statements.states(after, rowsMax))) {
      const range = { ...row, oldestVersion: row.oldestVersion ?? 1 };
      // The list leaves out a damaged row.
      const isDamaged = damageOf('state', range) !== null;
      const agedVersion = isDamaged ? 0 : yield* this.#agedVersion(seq, range, agedBefore);
      ranges.push({ seq, record: { ...range, agedVersion } });
    }
    return ranges;
  }

  /** Binary search: creation times ascend with version numbers. */
  *#agedVersion(seq: number, range: Omit<HistoryRange, 'agedVersion'>, before: number): Steps<number> {
    if (before === 0 || !(yield* this.#isAged(seq, range.oldestVersion, before))) return 0;
    let [aged, fresh] = [range.oldestVersion, range.version + 1];
    while (fresh - aged > 1) {
      const middle = Math.floor((aged + fresh) / 2);
      if (yield* this.#isAged(seq, middle, before)) aged = middle;
      else fresh = middle;
    }
    return aged;
  }

  *#isAged(seq: number, version: number, before: number): Steps<boolean> {
    return ((yield* answerOf(this.statements.createdAt(seq, version)))?.at ?? Infinity) < before;
  }
}
