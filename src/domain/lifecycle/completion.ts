// The statuses of a completion, and the only place that sets them.
import type { Completion, CompletionStatus } from '../records/records.js';
import { checkTransition, type Transitions } from './transitions.js';

/**
 * none: the child was not asked yet. pending: it is being asked, or waits for the state. completed: its result
 * is recorded. failed, skipped: its result is not recorded, and an operator may retry.
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
  fields: Partial<Completion>,
): Completion {
  checkTransition('completion', COMPLETION_TRANSITIONS, completion.status, status);
  return Object.assign({ ...completion }, fields, { status });
}
