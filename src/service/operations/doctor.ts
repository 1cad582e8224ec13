// The whole examination of a database: what breaks a promise, and what is not as it was written.
import { isJsonObject, type JsonObject } from '../../domain/json/json.js';
import type { Patch } from '../../domain/json/patch.js';
import type { Finding, Reader } from '../../ports/store.js';
import { canonicalJson, contentHash } from '../../document/canonical.js';
import { applyPatch } from '../../document/index.js';

/** @param limit - Findings of each check. */
export async function examineAll(
  read: Pick<Reader, 'doctor' | 'audit'>,
  now: number,
  limit: number,
): Promise<readonly Finding[]> {
  return [...(await read.doctor(now, limit)), ...(await read.audit(limit, { apply: applyText, hashOf }))];
}

const hashOf = (schema: JsonObject) => contentHash(canonicalJson(schema));

function applyText(document: JsonObject | null, patchText: string): JsonObject {
  const applied = applyPatch(document ?? {}, JSON.parse(patchText) as Patch);
  if (!isJsonObject(applied)) throw new Error('a patch makes no document');
  return applied;
}
