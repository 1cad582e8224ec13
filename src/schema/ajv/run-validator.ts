// One run of compiled code on one document, for the main thread and the worker alike.
import { accepted, refused, type Outcome, type Violation } from '../../domain/errors.js';
import type { CompiledSchema } from './ajv.js';
import { violationsOf } from './violation.js';

/** Made once: it is the answer to nearly every write. */
const VALID: Outcome<readonly Violation[]> = accepted([]);

/**
 * Holds a document against a schema.
 *
 * @returns What the schema refuses, up to so many; or `schema_too_complex` where the code that Ajv made of the schema
 *   fails on the document or gives no verdict: a fault of Ajv, which no write of this caller can do anything about.
 * @throws RangeError Where the stack is too small for it.
 */
export function runValidator(
  { validate, errors, forget, original }: CompiledSchema,
  document: unknown,
  violationsMax: number,
): Outcome<readonly Violation[]> {
  try {
    const result = validate(document);
    if (result === true) return VALID;
    if (result !== false) {
      // Nobody waits for the promise of an asynchronous validator: unheard, its rejection would end the process.
      if (result instanceof Promise) result.catch(() => undefined);
      return unfit('its validator answers neither true nor false');
    }
    const violations = violationsOf(errors(), violationsMax, original);
    forget();
    return accepted(violations);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return unfit(error.message.slice(0, 200));
  }
}

/** The refusal of a document that a schema cannot be applied to. */
export function unfit(reason: string): Outcome<never> {
  const detail = `The validator cannot apply the schema to this document (${reason}). Register the schema in a simpler form, and migrate to that.`;
  return refused('schema_too_complex', detail, { reason: 'validator' });
}
