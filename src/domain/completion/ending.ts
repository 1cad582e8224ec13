// How a completion ends and is released: the last steps of the machine.
import type { Completion } from '../records/records.js';
import { cancelOpenAttempt } from './attempts.js';
import type { Step } from './events.js';
import { completionWith } from '../lifecycle/completion.js';

/** The unchanged completion, without effects. */
export function stay(completion: Completion): Step {
  return { completion, effects: [] };
}

/** Ends a completion with a status. It is released when nothing of the session is in progress. */
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

/** During the work, `dueAt` does not belong to the completion: it is the time at which the session counts as lost. */
function watchedUntil({ workOutcome, dueAt }: Completion): number | null {
  return workOutcome === null ? dueAt : null;
}

/** Ends and releases a completion that has nothing in progress. */
export function closeAndRelease(
  completion: Completion,
  status: 'completed' | 'failed' | 'skipped',
  reason: string | null,
  now: number,
): Step {
  return release(close(completion, status, reason, now).completion, now);
}

/** Releases a completion. Further calls change nothing. */
export function release(completion: Completion, now: number): Step {
  if (completion.releasedAt !== null) return stay(completion);
  return {
    completion: { ...completion, releasedAt: now, dueAt: null },
    effects: [{ type: 'queue_callback' }],
  };
}

/** A lost session: unfinished work, or work that waits for callbacks, ends as lost. A pending completion fails. */
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
