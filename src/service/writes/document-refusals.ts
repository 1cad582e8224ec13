// Failures that list locations of a document.
import { refused, type Violation } from '../../domain/errors.js';

/** The failure for a document that violates its schema. */
export function invalidDocument(violations: readonly Violation[]) {
  return refused('validation_failed', detailOf(violations), { errors: violations });
}

/** The failure for a valid document that must not follow the present one. */
export function transitionRefused(violations: readonly Violation[]) {
  return refused('transition_refused', detailOf(violations), { errors: violations });
}

function detailOf(violations: readonly Violation[]): string {
  const [first] = violations;
  const more = violations.length > 1 ? ` (and ${String(violations.length - 1)} more)` : '';
  const where = first === undefined || first.pointer === '' ? 'The document' : first.pointer;
  return `${where}: ${first?.message ?? 'invalid'}${more}. Nothing was written.`;
}
