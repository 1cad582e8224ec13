// The full check of a database: broken invariants (`doctor`), and contents that are not as they were written (`audit`).
import { isJsonObject, type JsonObject } from '../../domain/json/json.js';
import type { Patch } from '../../domain/json/patch.js';
import type { Finding } from '../../ports/storage/audit.js';
import type { Reader } from '../../ports/storage/reader.js';
import { canonicalJson, contentHash } from '../../document/canonical.js';
import { applyPatch } from '../../document/index.js';

/** @param limit - Maximum number of findings per check. */
export async function examineAll(
  read: Pick<Reader, 'doctor' | 'audit'>,
  now: number,
  limit: number,
): Promise<readonly Finding[]> {
  return [...(await read.doctor(now, limit)), ...(await read.audit(limit, { apply: replayPatch, hashOf }))];
}

const hashOf = (schema: JsonObject) => contentHash(canonicalJson(schema));

/** Applies a stored patch. @throws Error - It cannot be applied. */
export function replayPatch(document: JsonObject | null, patchText: string): JsonObject {
  const applied = applyPatch(document ?? {}, JSON.parse(patchText) as Patch);
  if (!isJsonObject(applied)) throw new Error('a patch makes no document');
  return applied;
}
