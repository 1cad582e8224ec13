// A recorded result that a write of another session breaks before the parent gets the callback.
import type { Completion } from '../records/records.js';
import type { CompletionEvent, MachineLimits } from './events.js';

/**
 * Only a recorded result that is not released yet can break. The child's next prompt and the parent's callback
 * report it. It does not count as an attempt, because the child did not fail.
 */
export function contractChanged(
  completion: Completion,
  { by, version, violations }: CompletionEvent & { type: 'contract_changed' },
  { violationsMax }: MachineLimits,
): Completion {
  const isRecorded = completion.wrote || completion.status === 'completed';
  if (!isRecorded || completion.releasedAt !== null) return completion;
  if (violations.length === 0) {
    return completion.broken === null ? completion : { ...completion, broken: null, lastErrors: [] };
  }
  const errors = violations.slice(0, violationsMax);
  const asks = completion.status === 'none' || completion.status === 'pending';
  return {
    ...completion,
    broken: { by, version, errors },
    lastErrors: asks ? errors : completion.lastErrors,
  };
}
