// The size of a document while a patch is being applied. A few `copy` operations double it over and over (18 of them,
// 675 bytes, make 266 MB), so the size is followed before each value is put in place.
import type { JsonValue } from '../domain/json/json.js';
import type { Limits } from '../domain/limits.js';
import { textSize, textSizeMax } from './text-size.js';

/**
 * Follows the size of one document. Counts the JSON text of values added and taken away; member names and commas
 * around them are left out, which come from the request body and so are bounded by it.
 *
 * What copies bring is also summed on its own and never given back: the time that a patch takes is bounded by it too.
 */
export class PatchGrowth {
  readonly #document: JsonValue;
  readonly #limits: Pick<Limits, 'stateBytesMax' | 'patchGrowthBytesMax'>;
  #documentBytes: number | null = null;
  /** Changes that are not yet measured: added and removed values in turn. */
  #unmeasured: (JsonValue | undefined)[] = [];
  /** What they can have added at most. */
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
   * @returns The size that passes the limit, or `null` where the change may stand.
   */
  change(added: JsonValue | undefined, removed: JsonValue | undefined): number | null {
    this.#unmeasured.push(added, removed);
    this.#unmeasuredBytesMax += added === undefined ? 0 : textSizeMax(added);
    return this.#excess();
  }

  /** Counts a copy before it is made; stops measuring as soon as the limit is passed. */
  copy(value: JsonValue): number | null {
    const bytesMax = this.#limits.patchGrowthBytesMax;
    const bytes = textSize(value, bytesMax);
    this.#copiedBytes += bytes;
    this.#grownBytes += bytes;
    return this.#copiedBytes > bytesMax ? this.#copiedBytes : this.#excess();
  }

  #excess(): number | null {
    const { patchGrowthBytesMax: bytesMax, stateBytesMax } = this.#limits;
    // A state is never larger than this, so exact sizes matter only to patches that add a lot.
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
