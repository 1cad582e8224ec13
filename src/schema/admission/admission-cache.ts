// Caches recently admitted schemas by their text: each child of a tree sends the same contract.
import { LRUCache } from 'lru-cache';
import type { Result } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json/json.js';
import type { AdmittedSchema } from '../../ports/schema-engine.js';

/** Most characters of cached schemas. The parsed values take about four times as much memory. */
const KEPT_CHARACTERS_MAX = 4 * 1024 * 1024;

type Admission = Promise<Result<AdmittedSchema>>;

export class AdmissionCache {
  readonly #admissions = new LRUCache<string, Admission>({
    maxSize: KEPT_CHARACTERS_MAX,
    sizeCalculation: (_, text) => text.length,
  });

  /** Admits the same text once, even for concurrent callers. Failures are not cached. */
  admit(schema: JsonValue, use: 'document' | 'value', admit: () => Admission): Admission {
    const text = textOf(schema, use);
    if (text === null) return admit();
    const cached = this.#admissions.get(text);
    if (cached !== undefined) return cached;
    const admission = admit();
    this.#admissions.set(text, admission);
    const forget = () => {
      if (this.#admissions.peek(text) === admission) this.#admissions.delete(text);
    };
    admission.then((result) => {
      if (!result.ok) forget();
    }, forget);
    return admission;
  }
}

/** `null` for a value that is too deep to serialize. The admission itself reports this. */
function textOf(schema: JsonValue, use: string): string | null {
  try {
    return `${use} ${JSON.stringify(schema)}`;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
