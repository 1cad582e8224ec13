// How a completion ends and is released: the last steps of the machine.
import type { Completion } from '../records/records.js';
import { cancelOpenAttempt } from './attempts.js';
import type { Step } from './events.js';
import { completionWith } from './status.js';

/** The completion as it is now, and nothing that has to follow. */
export function stay(completion: Completion): Step {
  return { completion, effects: [] };
}

/** Ends a completion in a given status. It is released when nothing of the session is under way. */
export function close(
  completion: Completion,
  status: 'completed' | 'failed' | 'skipped',
  reason: string | null,
  now: number,
): Step {
  const cancelled = cancelOpenAttempt(completion, now);
  return {
    completion: completionWith(cancelled, status, { reason, request: null, dueAt: watchedUntil(cancelled) }),
    effects: cancelled === completion ? [] : [{ type: 'cancel_request', stop: true }],
  };
}

/** While the work goes on, the time is not the completion's own: it is when the session counts as lost. */
function watchedUntil({ workOutcome, dueAt }: Completion): number | null {
  return workOutcome === null ? dueAt : null;
}

/** Ends a completion of which nothing is under way, and releases it at once. */
export function closeAndRelease(
  completion: Completion,
  status: 'completed' | 'failed' | 'skipped',
  reason: string | null,
  now: number,
): Step {
  return release(close(completion, status, reason, now).completion, now);
}

/** Once for a completion, whatever comes after. */
export function release(completion: Completion, now: number): Step {
  if (completion.releasedAt !== null) return stay(completion);
  return {
    completion: { ...completion, releasedAt: now, dueAt: null },
    effects: [{ type: 'queue_callback' }],
  };
}

/** Work that had not ended, or waited for what nobody takes any more, ends so. One that is being asked fails. */
export function lost(completion: Completion, reason: string, now: number): Step {
  if (completion.releasedAt !== null) return stay(completion);
  switch (completion.status) {
    case 'completed':
      return stay(completion);
    case 'pending':
      return close({ ...completion, causeFingerprint: null }, 'failed', reason, now);
    case 'none':
    case 'failed':
    case 'skipped':
      return stay({ ...completion, workOutcome: 'lost', workError: reason, workCause: null, dueAt: null });
  }
}
