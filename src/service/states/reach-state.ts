// Access to a state: finds it if the caller has the right and may access its tree.
import { mayUse, reachRecord, type Right } from '../../domain/access/access.js';
import type { Result } from '../../domain/errors.js';
import type { StateHead } from '../../domain/records/records.js';
import { noState } from '../../domain/states/write.js';
import { after, type MaybePromise } from '../../lib/maybe-promise.js';
import type { Store } from '../../ports/storage/store.js';
import type { Caller } from '../caller.js';
import type { StateFacts, StateFactsCache } from './state-facts.js';

interface Parts {
  readonly store: Store;
  readonly facts: StateFactsCache;
}

/** The unchanging facts of a state, if the caller has the right and may access the tree. */
export function reachFacts(
  { context, actor }: Caller<Parts>,
  right: Right,
  stateId: string,
): MaybePromise<Result<StateFacts>> {
  const may = mayUse(actor, right);
  if (!may.ok) return may;
  return after(context.facts.cached(stateId) ?? context.facts.of(stateId), (facts) =>
    reachRecord(actor, facts, () => noState(stateId)),
  );
}

/** The head of a state, under the same conditions. */
export async function reachState(
  { context, actor }: Caller<Parts>,
  right: Right,
  stateId: string,
): Promise<Result<StateHead>> {
  const may = mayUse(actor, right);
  if (!may.ok) return may;
  return reachRecord(actor, await context.store.read.state(stateId), () => noState(stateId));
}
