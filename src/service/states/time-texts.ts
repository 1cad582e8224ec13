// Texts of the times in the answers of writes. The writes of one commit have the same time, and a state keeps the
// time of its creation, so most answers need no text that was not made before.
import { time } from '../views.js';

/** When the cache has this many texts, it starts again: about 300 KB. */
const TEXTS_MAX = 4000;

export class TimeTexts {
  readonly #texts = new Map<number, string>();

  /** A time in milliseconds as in RFC 3339. */
  of(ms: number): string {
    const known = this.#texts.get(ms);
    if (known !== undefined) return known;
    const text = time(ms);
    if (this.#texts.size >= TEXTS_MAX) this.#texts.clear();
    this.#texts.set(ms, text);
    return text;
  }
}
