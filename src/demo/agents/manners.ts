// What each kind of child writes when it is asked to record its result. Pure.
import type { JsonObject } from '../../domain/json/json.js';
import type { Manner } from '../cast.js';
import type { UpdateRequest } from './prompt.js';

/**
 * @param notes - The result of the work, as it should be recorded.
 * @returns What the child writes; `null` where it writes nothing.
 */
export function writtenBy(manner: Manner, request: UpdateRequest, notes: JsonObject): JsonObject | null {
  switch (manner) {
    case 'at_once':
    case 'when_asked':
      return notes;
    case 'corrects_itself':
      return mended(careless(notes), notes, request.wrongMembers);
    case 'last_call':
      return request.attempt >= 3 ? notes : null;
    case 'never':
      return null;
  }
}

/** Numbers as prose: what a model makes of a schema that it did not read. */
function careless(notes: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(notes).map(([name, value]) => [
      name,
      typeof value === 'number' ? `about ${value}` : value,
    ]),
  );
}

/** Puts right what the errors name, and nothing else. */
function mended(draft: JsonObject, notes: JsonObject, wrongMembers: readonly string[]): JsonObject {
  const right = Object.entries(notes).filter(([name]) => wrongMembers.includes(name));
  return { ...draft, ...Object.fromEntries(right) };
}
