// Records what a calling session has read, so that its next write can be merged with what others wrote since.
import type { Logger } from '../../ports/runtime.js';
import type { ReadCursors } from './read-cursors.js';
import type { Caller } from '../caller.js';

interface Parts {
  readonly logger: Logger;
  readonly readCursors: ReadCursors;
}

/** Records that the calling session, if it is one, knows the whole document once it gets the answer. */
export function sawAll(caller: Caller<Parts>, stateId: string, version: number): void {
  const { actor, context } = caller;
  if (actor.kind !== 'session') return;
  noted(caller, () => {
    context.readCursors.sawAll(actor.sessionId, stateId, version);
  });
}

/** Records that the calling session has read a part once it gets the answer. Nobody waits for that. */
export function sawPart(caller: Caller<Parts>, stateId: string, pointer: string, version: number): void {
  const { actor, context } = caller;
  if (actor.kind !== 'session') return;
  const { readCursors, logger } = context;
  noted(caller, () => {
    readCursors.sawPart(actor.sessionId, stateId, pointer, version).catch((error: unknown) => {
      logger.warn({ err: error }, 'what a session has read could not be noted');
    });
  });
}

function noted({ reads }: Caller<Parts>, note: () => void): void {
  if (reads === undefined) note();
  else reads.add(note);
}
