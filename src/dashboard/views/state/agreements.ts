// What the children of a tree agreed to write, and at which locations of the document it is. Pure.
import type { CompletionListed, JsonObject } from '../../../client/index.js';
import { above, valueAt, type Pointer } from './document.js';

export type ContractStatus = 'satisfied' | 'broken' | 'failed' | 'skipped' | 'pending' | 'not asked for';

/** How far a child is with what it owes. */
export function contractStatusOf(one: CompletionListed): ContractStatus {
  if (one.contract_broken !== null) return 'broken';
  switch (one.state_update_status) {
    case 'completed':
      return 'satisfied';
    case 'failed':
    case 'skipped':
    case 'pending':
      return one.state_update_status;
    case null:
      return one.released_at === null ? 'pending' : 'not asked for';
  }
}

/** A child's contract or write scope, at a location of the document. */
export interface Mark {
  readonly kind: 'contract' | 'writes';
  readonly session: string;
  readonly standing: ContractStatus;
  /** The agreed location; it may be missing in the document. */
  readonly pointer: Pointer;
}

/**
 * The marks by the location that bears them: the agreed one, or the closest above it that the document has.
 * What is agreed for the whole document has no row to be marked.
 */
export function marksOn(
  document: JsonObject,
  children: readonly CompletionListed[],
): ReadonlyMap<Pointer, readonly Mark[]> {
  const marks = new Map<Pointer, Mark[]>();
  for (const one of children) {
    const standing = contractStatusOf(one);
    const add = (kind: Mark['kind'], pointer: Pointer) => {
      const existing =
        [...above(pointer), pointer].findLast((at) => valueAt(document, at) !== undefined) ?? '';
      const mark = { kind, session: one.session_name, standing, pointer };
      marks.set(existing, [...(marks.get(existing) ?? []), mark]);
    };
    if (one.contract !== null) add('contract', one.contract.pointer);
    for (const pointer of one.write_scope ?? []) add('writes', pointer);
  }
  return marks;
}
