// Bounds reply values for a model: the whole value if it fits, else an outline and the pointers to read next.
import { outlineOf } from '../domain/excerpt.js';
import { isJsonArray, isJsonObject, type JsonValue } from '../domain/json/json.js';
import { formatPointer } from '../domain/json/pointer.js';
import { isLongerThan } from '../domain/json/text-size.js';
import type { ToolOutput } from './tool.js';

const READ_NEXT_MAX = 10;

/** Returns `value`, or `outline` and `read_next`; `complete` tells which. */
export function boundedValue(
  value: JsonValue,
  pointer: string,
  charactersMax: number,
  whole = false,
): ToolOutput {
  if (whole || !isLongerThan(value, charactersMax)) return { complete: true, value };
  const names = isJsonArray(value) ? [...value.keys()] : isJsonObject(value) ? Object.keys(value) : [];
  return {
    complete: false,
    outline: outlineOf(value, Math.floor(charactersMax / 2)),
    read_next: names.slice(0, READ_NEXT_MAX).map((name) => pointer + formatPointer([name])),
  };
}
