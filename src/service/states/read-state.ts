// Use case: read the present state.
import { mayReachTree, mayUse } from '../../domain/access/access.js';
import { ok, type Result } from '../../domain/errors.js';
import { noState } from '../../domain/states/write.js';
import type * as api from '../../ports/api/index.js';
import { after, type MaybePromise } from '../../lib/maybe-promise.js';
import type { Logger } from '../../ports/runtime.js';
import type { ReadCursors } from '../reads/read-cursors.js';
import type { Caller } from '../caller.js';
import { andThen } from '../results.js';
import { sawAll } from '../reads/note-reads.js';
import { envelopeAt, type EnvelopesParts } from './envelopes.js';
import { reachState } from './reach-state.js';

export interface ReadStateParts extends EnvelopesParts {
  readonly logger: Logger;
  readonly readCursors: ReadCursors;
}

/** The present envelope of a state. A calling session that gets it counts as knowing this version. */
export function readState(
  caller: Caller<ReadStateParts>,
  stateId: string,
): MaybePromise<Result<api.StateEnvelope>> {
  return after(presentState(caller, stateId), (envelope) =>
    after(envelope.ok ? sawAll(caller, stateId, envelope.value.version) : undefined, () => envelope),
  );
}

/** The same for a caller that is not shown it. */
export function presentState(
  caller: Caller<ReadStateParts>,
  stateId: string,
): MaybePromise<Result<api.StateEnvelope>> {
  return (
    cachedEnvelope(caller, stateId) ??
    andThen(reachState(caller, 'read', stateId), (head) => envelopeAt(caller, head))
  );
}

/** The present envelope of a state, if all that it needs is cached. */
function cachedEnvelope(
  { context, actor }: Caller<ReadStateParts>,
  stateId: string,
): Result<api.StateEnvelope> | null {
  const head = context.store.cachedHead(stateId);
  const envelope = head === undefined ? null : context.documents.cachedEnvelope(head);
  if (head === undefined || envelope === null) return null;
  const may = mayUse(actor, 'read');
  if (!may.ok) return may;
  const allowed = mayReachTree(actor, head.rootSessionId, () => noState(stateId));
  return allowed.ok ? ok(envelope) : allowed;
}
