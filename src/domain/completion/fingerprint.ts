// Identifies failures with the same cause. Ids and numbers differ from child to child; causes do not.
import type { CompletionAttempt } from '../records/records.js';

/**
 * A text that is equal for equal causes: how the last attempt ended, and either the violations of what was
 * written or the message of the environment. Numbers and ids are masked.
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
