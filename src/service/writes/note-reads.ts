// Records what a calling session has read, so that its next write can be merged with what others wrote since.
import type { Logger } from '../../ports/runtime.js';
import type { ReadCursors } from './read-cursors.js';
import type { Caller } from '../caller.js';

interface Parts {
  readonly logger: Logger;
  readonly readCursors: ReadCursors;
}

/** Records that the calling session, if it is one, knows the whole document. */
export function sawAll({ context, actor }: Caller<Parts>, stateId: string, version: number): void {
  if (actor.kind === 'session') context.readCursors.sawAll(actor.sessionId, stateId, version);
}

/** Records that the calling session has read a part. Nobody waits for that. */
export function sawPart(
  { context, actor }: Caller<Parts>,
  stateId: string,
  pointer: string,
  version: number,
): void {
  if (actor.kind !== 'session') return;
  const { readCursors, logger } = context;
  readCursors.sawPart(actor.sessionId, stateId, pointer, version).catch((error: unknown) => {
    logger.warn({ err: error }, 'what a session has read could not be noted');
  });
}
