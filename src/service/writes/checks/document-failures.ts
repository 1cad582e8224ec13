// Failures that list locations of a document.
import type { FailedWrite, Writer } from '../../../domain/states/write.js';
import { fail, type Result, type Violation } from '../../../domain/errors.js';

/** The failure for a document that violates its schema. */
export function invalidDocument(violations: readonly Violation[]) {
  return fail('validation_failed', detailOf(violations), { errors: violations });
}

/** The failure for a valid document that must not follow the present one. */
export function transitionFailure(violations: readonly Violation[]) {
  return fail('transition_refused', detailOf(violations), { errors: violations });
}

function detailOf(violations: readonly Violation[]): string {
  const [first] = violations;
  const more = violations.length > 1 ? ` (and ${String(violations.length - 1)} more)` : '';
  const where = first === undefined || first.pointer === '' ? 'The document' : first.pointer;
  return `${where}: ${first?.message ?? 'invalid'}${more}. Nothing was written.`;
}

/** The violations of a refused write, for the session's next prompt. */
export function violationsOf(result: Result<unknown>): readonly Violation[] {
  if (result.ok) return [];
  const { members, detail, error } = result.failure;
  const errors = members['errors'];
  if (Array.isArray(errors)) return errors as readonly Violation[];
  const pointer = typeof members['pointer'] === 'string' ? members['pointer'] : '';
  return [{ pointer, keyword: error, message: detail, expected: null }];
}

/** The failed write for the session's next prompt; nothing if the writer is no session. */
export function failureOf({ sessionId }: Writer, violations: readonly Violation[]): FailedWrite | undefined {
  return sessionId === null ? undefined : { sessionId, violations };
}
