// Tells pointers apart only as far as a schema does: names that it treats alike have one shape. So what was found for
// one child's location is known for the locations of its siblings.
import {
  isForbiddenName,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/json/json.js';
import { formatPointer, parseArrayIndex, parsePointer } from '../../domain/json/pointer.js';

/** Stands for each name that the schema does not mention. No segment that stands for itself can be equal to it. */
const ANY = '~';

/** Keywords that look at the text of a name. */
const OF_NAMES = ['patternProperties', 'propertyNames'];

export class PointerShapes {
  /** Everything in the schema that may be the name of a member; `null` if it looks at the text of names. */
  readonly #mentioned: ReadonlySet<string> | null;

  constructor(schema: JsonObject) {
    const mentioned = new Set<string>();
    const stack: JsonValue[] = [schema];
    for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
      if (typeof part === 'string') mentioned.add(part);
      else if (isJsonArray(part)) stack.push(...part);
      else if (isJsonObject(part)) {
        for (const [name, value] of Object.entries(part)) {
          mentioned.add(name);
          stack.push(value);
        }
      }
    }
    this.#mentioned = OF_NAMES.some((keyword) => mentioned.has(keyword)) ? null : mentioned;
  }

  /**
   * The shape of a pointer. For pointers of one shape, the schema has the same subschemas and allows the same values.
   *
   * @returns `null` if there is none: an invalid pointer, or a schema that looks at the text of names.
   */
  of(pointer: string): string | null {
    const mentioned = this.#mentioned;
    const segments = parsePointer(pointer);
    if (mentioned === null || segments === null) return null;
    const isOwn = (segment: string) =>
      mentioned.has(segment) ||
      segment === '-' ||
      parseArrayIndex(segment) !== null ||
      isForbiddenName(segment);
    return segments.map((segment) => `/${isOwn(segment) ? formatPointer([segment]).slice(1) : ANY}`).join('');
  }
}
