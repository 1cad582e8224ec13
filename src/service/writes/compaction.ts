// The compaction of a workflow record behind a write that has left too many ended invocations in it.
import type { JsonObject } from '../../domain/json/json.js';
import { OPERATOR } from '../../domain/states/write.js';
import { compactionOf } from '../../domain/workflow/archive.js';
import type { Clock, IdSource, Logger } from '../../ports/runtime.js';
import { prepareWrite, type Applied, type Base, type PrepareWriteParts } from './prepare-write.js';

export interface CompactionParts extends PrepareWriteParts {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
}

/**
 * @param before - The document before that write.
 * @param base - The document after it.
 * @returns `null` if the write calls for no compaction. A compaction that the schema refuses is logged: the write does
 *   not depend on it.
 */
export function compactionBehind(
  parts: CompactionParts,
  stateId: string,
  before: JsonObject,
  base: Base,
): Promise<Applied | null> | null {
  const payload = compactionOf(before, base.document, base.schema.schema, parts);
  if (payload === null) return null;
  const command = { form: 'workflow' as const, payload, options: {}, writer: OPERATOR };
  const notCompacted = (why: object) => {
    parts.logger.warn({ ...why, state: stateId }, 'a workflow record could not be compacted');
    return null;
  };
  return Promise.resolve(prepareWrite(parts, base, command, null)).then(
    (applied) => (applied.ok ? applied.value : notCompacted(applied.failure)),
    (error: unknown) => notCompacted({ err: error }),
  );
}
