// Tracks the size of a document while a patch is applied. A few `copy` operations can double it repeatedly
// (18 of them, 675 bytes, make 266 MB), so the size is checked at each operation.
import type { JsonValue } from '../domain/json/json.js';
import type { Limits } from '../domain/limits.js';
import { textSize, textSizeMax } from '../domain/json/text-size.js';

/**
 * Tracks the size of one document. Counts the JSON text of added and removed values. Their member names and
 * commas are not counted: they come from the request body, which bounds them.
 *
 * Copied bytes are also summed separately and never subtracted, which bounds the time that a patch takes.
 */
export class PatchGrowth {
  readonly #document: JsonValue;
  readonly #limits: Pick<Limits, 'stateBytesMax' | 'patchGrowthBytesMax'>;
  #documentBytes: number | null = null;
  /** Changes that are not measured yet: added and removed values, alternating. */
  #unmeasured: (JsonValue | undefined)[] = [];
  /** Upper bound of what they added. */
  #unmeasuredBytesMax = 0;
  #grownBytes = 0;
  #copiedBytes = 0;

  constructor(document: JsonValue, limits: Pick<Limits, 'stateBytesMax' | 'patchGrowthBytesMax'>) {
    this.#document = document;
    this.#limits = limits;
  }

  /**
   * Counts a change.
   *
   * @returns The size that exceeds the limit, or `null` if the change is allowed.
   */
  change(added: JsonValue | undefined, removed: JsonValue | undefined): number | null {
    this.#unmeasured.push(added, removed);
    this.#unmeasuredBytesMax += added === undefined ? 0 : textSizeMax(added);
    return this.#excess();
  }

  /** Counts a copy before it is made. Measuring stops once the limit is exceeded. */
  copy(value: JsonValue): number | null {
    const bytesMax = this.#limits.patchGrowthBytesMax;
    const bytes = textSize(value, bytesMax);
    this.#copiedBytes += bytes;
    this.#grownBytes += bytes;
    return this.#copiedBytes > bytesMax ? this.#copiedBytes : this.#excess();
  }

  #excess(): number | null {
    const { patchGrowthBytesMax: bytesMax, stateBytesMax } = this.#limits;
    // A state is never larger than `stateBytesMax`, so exact sizes matter only for patches that add a lot.
    if (stateBytesMax + this.#grownBytes + this.#unmeasuredBytesMax <= bytesMax) return null;
    this.#measure();
    if (this.#documentBytes === null && stateBytesMax + this.#grownBytes <= bytesMax) return null;
    this.#documentBytes ??= textSize(this.#document);
    const bytes = this.#documentBytes + this.#grownBytes;
    return bytes > bytesMax ? bytes : null;
  }

  #measure(): void {
    for (let at = 0; at < this.#unmeasured.length; at += 2) {
      const [added, removed] = [this.#unmeasured[at], this.#unmeasured[at + 1]];
      if (removed !== undefined) this.#grownBytes -= textSize(removed);
      if (added !== undefined) this.#grownBytes += textSize(added);
    }
    this.#unmeasured = [];
    this.#unmeasuredBytesMax = 0;
  }
}
