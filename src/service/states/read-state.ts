// Use case: read the present state.
import { mayReachTree, mayUse } from '../../domain/access/access.js';
import { accepted, type Outcome } from '../../domain/errors.js';
import { noState } from '../../domain/states/write.js';
import type * as api from '../../ports/api/index.js';
import type { MaybePromise } from '../../ports/maybe-promise.js';
import type { Caller } from '../context.js';
import { andThen } from '../outcomes.js';
import { sawAll } from '../writes/note-reads.js';
import { envelopeAt } from './envelopes.js';
import { reachState } from './reach-state.js';

/** The present envelope of a state. A calling session then counts as knowing this version. */
export function readState(caller: Caller, stateId: string): MaybePromise<Outcome<api.StateEnvelope>> {
  return (
    keptEnvelope(caller, stateId) ??
    andThen(reachState(caller, 'read', stateId), async (head) => {
      const envelope = await envelopeAt(caller, head);
      if (envelope.ok) sawAll(caller, stateId, head.version);
      return envelope;
    })
  );
}

/** The present envelope of a state, if all that it needs is cached. */
function keptEnvelope({ context, actor }: Caller, stateId: string): Outcome<api.StateEnvelope> | null {
  const head = context.store.knownHead(stateId);
  const envelope = head === undefined ? null : context.documents.keptEnvelope(stateId, head.version);
  if (head === undefined || envelope === null) return null;
  const may = mayUse(actor, 'read');
  if (!may.ok) return may;
  const reach = mayReachTree(actor, head.rootSessionId, () => noState(stateId));
  if (!reach.ok) return reach;
  sawAll({ context, actor }, stateId, head.version);
  return accepted(envelope);
}
