// A recorded result that another one has destroyed, before its parent was told of it.
import type { Completion } from '../records/records.js';
import type { CompletionEvent, MachineLimits } from './events.js';

/**
 * Only a result that was recorded can be destroyed; one that was handed on is past that. The child is told in its next
 * prompt, and its parent in the callback. No attempt is counted for it: it is not the child's failure.
 */
export function contractTurned(
  completion: Completion,
  { by, version, violations }: CompletionEvent & { type: 'contract_turned' },
  { violationsMax }: MachineLimits,
): Completion {
  if (!completion.wrote || completion.releasedAt !== null) return completion;
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
