// Runs compiled code on one document, for the main thread and the worker.
import { ok, fail, type Result, type Violation } from '../../domain/errors.js';
import type { CompiledSchema } from './ajv.js';
import { violationsOf } from './violations.js';

/** A shared constant: it is the result of nearly every write. */
export const VALID: Result<readonly Violation[]> = ok([]);

/**
 * Validates a document against a schema.
 *
 * @returns At most `violationsMax` violations; or `schema_too_complex` if Ajv's generated code throws a `TypeError`
 * on the document or returns no boolean. That is a fault in Ajv, which the caller's write cannot avoid.
 * @throws RangeError The stack is too small.
 */
export function runValidator(
  { validate, errors, forget, original }: CompiledSchema,
  document: unknown,
  violationsMax: number,
): Result<readonly Violation[]> {
  try {
    const result = validate(document);
    if (result === true) return VALID;
    if (result !== false) {
      // Nothing awaits the promise of an asynchronous validator: an unhandled rejection would end the process.
      if (result instanceof Promise) result.catch(() => undefined);
      return unfit('its validator answers neither true nor false');
    }
    const violations = violationsOf(errors(), violationsMax, original);
    forget();
    return ok(violations);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return unfit(error.message.slice(0, 200));
  }
}

/** The failure for a document that a schema cannot be applied to. */
export function unfit(reason: string): Result<never> {
  const detail = `The validator cannot apply the schema to this document (${reason}). Register the schema in a simpler form, and migrate to that.`;
  return fail('schema_too_complex', detail, { reason: 'validator' });
}
