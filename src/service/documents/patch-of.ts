// Parses the patch of a stored event. The database may have been changed outside the service.
import { RecordDamagedError } from '../../domain/damage/damage.js';
import { isJsonArray, isJsonObject, parsedJson } from '../../domain/json/json.js';
import type { Patch } from '../../domain/json/patch.js';

interface Stored {
  readonly stateId: string;
  readonly version: number;
  readonly patchText: string;
}

/** @throws RecordDamagedError */
export function patchOf(event: Stored): Patch {
  return patchFrom(event.patchText, event.stateId, event.version);
}

/** @throws RecordDamagedError */
export function patchFrom(text: string, stateId: string, version: number): Patch {
  const value = parsedJson(text);
  const fits =
    isJsonArray(value) &&
    value.every(
      (one) => isJsonObject(one) && typeof one['op'] === 'string' && typeof one['path'] === 'string',
    );
  if (fits) return value as unknown as Patch;
  const id = `${stateId}@${String(version)}`;
  throw new RecordDamagedError({ kind: 'event', id, column: 'patch', what: 'is not a JSON Patch' });
}
