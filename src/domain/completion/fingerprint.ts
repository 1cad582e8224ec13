// Tells whether two completions failed for the same cause. Places differ from child to child, causes do not.
import type { CompletionAttempt } from '../records/records.js';

/**
 * The cause of a failure as a text that is equal for equal causes: how the last attempt ended, and either what was
 * wrong with what was written, or the message of the surroundings, with numbers and ids taken out.
 */
export function fingerprintOf(
  last: Pick<CompletionAttempt, 'outcome' | 'errors'>,
  message: string | null,
): string {
  const violations = last.errors.map(
    (violation) => `${violation.keyword} ${plain(violation.pointer)} ${plain(violation.message)}`,
  );
  const details =
    violations.length > 0 ? [...new Set(violations)].sort() : message === null ? [] : [plain(message)];
  return [last.outcome, ...details].join('\n').slice(0, 2048);
}

function plain(text: string): string {
  return text.replace(/\b[a-z]+_[0-9a-z]{8,}\b/g, '#').replace(/[0-9]+/g, '#');
}
