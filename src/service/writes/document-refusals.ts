// The refusals that list places of a document.
import { refused, type Violation } from '../../domain/errors.js';

/** For a document that its schema does not take. */
export function invalidDocument(violations: readonly Violation[]) {
  return refused('validation_failed', detailOf(violations), { errors: violations });
}

/** For a document that is valid, but must not follow the one that is there. */
export function transitionRefused(violations: readonly Violation[]) {
  return refused('transition_refused', detailOf(violations), { errors: violations });
}

function detailOf(violations: readonly Violation[]): string {
  const [first] = violations;
  const more = violations.length > 1 ? ` (and ${String(violations.length - 1)} more)` : '';
  const where = first === undefined || first.pointer === '' ? 'The document' : first.pointer;
  return `${where}: ${first?.message ?? 'invalid'}${more}. Nothing was written.`;
}
