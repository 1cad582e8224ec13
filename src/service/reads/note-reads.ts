// Records what a calling session has read, so that its next write can be merged with what others wrote since.
import type { MaybePromise } from '../../lib/maybe-promise.js';
import type { Logger } from '../../ports/runtime.js';
import type { ReadCursors } from './read-cursors.js';
import type { Caller } from '../caller.js';

interface Parts {
  readonly logger: Logger;
  readonly readCursors: ReadCursors;
}

/**
 * Records that the calling session, if it is one, knows the whole document once it gets the answer.
 *
 * @returns What to wait for before it gets the answer, here and below.
 */
export function sawAll(caller: Caller<Parts>, stateId: string, version: number): MaybePromise<void> {
  const { actor, context } = caller;
  if (actor.kind !== 'session') return undefined;
  return noted(caller, () => context.readCursors.sawAll(actor.sessionId, stateId, version));
}

/** Records that the calling session has read a part once it gets the answer. */
export function sawPart(
  caller: Caller<Parts>,
  stateId: string,
  pointer: string,
  version: number,
): MaybePromise<void> {
  const { actor, context } = caller;
  if (actor.kind !== 'session') return undefined;
  const { readCursors, logger } = context;
  return noted(caller, () =>
    readCursors.sawPart(actor.sessionId, stateId, pointer, version).catch((error: unknown) => {
      logger.warn({ err: error }, 'what a session has read could not be noted');
    }),
  );
}

function noted({ reads }: Caller<Parts>, note: () => MaybePromise<void>): MaybePromise<void> {
  if (reads === undefined) return note();
  reads.add(note);
  return undefined;
}
