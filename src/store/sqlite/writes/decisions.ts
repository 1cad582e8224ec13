// Makes decisions on loaded records. If a decision asks for more records, they are loaded and it is made again.
import type { Changeset } from '../../../domain/transactions/changeset.js';
import type { Decide, LoadedRecords, LoadRequest } from '../../../domain/transactions/loaded-records.js';
import { Loader, type LoaderParts } from './loader.js';

/** A decision with the records that it was made on. */
export interface Decided {
  readonly changes: Changeset;
  readonly records: LoadedRecords;
  /** True if the decision has to be made again. */
  readonly again: boolean;
}

export const isAny = () => true;

export function isReadOnly({ load }: LoadRequest): boolean {
  return load !== 'repaired';
}

/** True if the records are found by their keys, so that changes of the same group that are not written yet are found. */
export function isIndependent({ load }: LoadRequest): boolean {
  switch (load) {
    case 'aggregate':
    case 'aggregateNamed':
    case 'treeState':
    case 'state':
    case 'sessionCount':
      return true;
    default:
      return false;
  }
}

export class Decisions {
  constructor(
    private readonly parts: LoaderParts,
    private readonly roundsMax: number,
  ) {}

  /** @returns The decision; `null` if it needs records that it may not load. */
  make(
    { loads, decide }: { readonly loads: readonly LoadRequest[]; readonly decide: Decide<unknown> },
    may: (request: LoadRequest) => boolean,
  ): Decided | null {
    const records = new Loader(this.parts);
    let more = loads;
    for (let round = 0; round <= this.roundsMax; round++) {
      if (!more.every(may)) return null;
      records.load(more);
      const decision = decide(records);
      if (!('more' in decision))
        return { changes: decision.changes, records, again: decision.again === true };
      more = decision.more;
    }
    throw new Error(`A decision asked for more records ${this.roundsMax} times`);
  }
}
