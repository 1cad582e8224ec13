// The result of a write that is only tried.
import { ok, type Result } from '../../domain/errors.js';
import type { Applied, WriteResult } from './prepare-write.js';
import type { Before } from './state-before.js';

/** @param version - The version that the write was applied to. */
export function wouldBe(
  { head, schema }: Before,
  { document, prepared, warnings }: Applied,
  version: number,
): Result<WriteResult> {
  const changed = prepared !== null;
  const would = { ...head, version: changed ? version + 1 : version };
  return ok({ head: would, schema, document, changed, warnings });
}
