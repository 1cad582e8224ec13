// The statuses of a completion, and the only place that sets them.
import type { Completion, CompletionStatus } from '../records/records.js';
import { checkTransition, type Transitions } from '../transitions.js';

/**
 * none: the child was not asked yet. pending: it is being asked, or the state is awaited. completed: its result is
 * recorded. failed, skipped: it is not, and an operator may retry.
 */
export const COMPLETION_TRANSITIONS: Transitions<CompletionStatus> = {
  none: ['pending', 'completed', 'failed', 'skipped'],
  pending: ['completed', 'failed', 'skipped'],
  completed: [],
  failed: ['pending'],
  skipped: ['pending'],
};

export function completionWith(
  completion: Completion,
  status: CompletionStatus,
  fields: Partial<Completion> = {},
): Completion {
  checkTransition('completion', COMPLETION_TRANSITIONS, completion.status, status);
  return { ...completion, ...fields, status };
}
