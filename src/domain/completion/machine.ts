// The two-phase completion as a pure function: (completion, event) -> (completion, effects). Design, section 5.
// Runs, callbacks and parents follow from the effects. `docs/lifecycle.md` has the table.
import type { Violation } from '../errors.js';
import type { Completion, CompletionAttempt, PermanentCause } from '../records/records.js';
import { isPermanent } from './failure-cause.js';
import {
  cancelOpenAttempt,
  endOpenAttempt,
  isSkippable,
  noteErrors,
  openAttempt,
  openAttemptOf,
  promptLevel,
} from './attempts.js';
import { awaitState, hasTerms, stateOpened } from './awaited-state.js';
import { contractChanged } from './contract-changed.js';
import { noteChange, workEnded } from './changes.js';
import type { CompletionEvent, MachineLimits, Situation, Step } from './events.js';
import { close, closeAndRelease, lost, release, stay } from './ending.js';
import { failureReason, permanentReason } from './failure-reason.js';
import { fingerprintOf } from './fingerprint.js';
import { completionWith } from '../lifecycle/completion.js';

/**
 * Applies an event to a completion.
 *
 * Guarantees: a completion is released at most once, never while it is pending, and never before its work ended.
 *
 * @returns The completion after the event, and the effects in order. An event that does not fit changes nothing.
 */
export function step(
  completion: Completion,
  event: CompletionEvent,
  now: number,
  limits: MachineLimits,
): Step {
  const moved = move(completion, event, now, limits);
  if (moved.completion === completion) return moved;
  return { ...moved, completion: Object.assign({ ...moved.completion }, { updatedAt: now }) };
}

function move(completion: Completion, event: CompletionEvent, now: number, limits: MachineLimits): Step {
  switch (event.type) {
    case 'work_began':
      return completion.releasedAt === null && completion.workOutcome !== null
        ? stay({ ...completion, workOutcome: null })
        : stay(completion);
    case 'work_ended':
      return stay(workEnded(completion, event));
    case 'idle':
      return idle(completion, event.situation, now, limits);
    case 'written':
      return written(completion, event, now, limits);
    case 'written_for':
      return stay(noteChange(completion, event, limits));
    case 'contract_changed':
      return stay(contractChanged(completion, event, limits));
    case 'write_refused':
      return writeFailure(completion, event.violations, limits);
    case 'repeated':
      return completion.status === 'pending' && completion.wrote
        ? recorded(completion, now)
        : stay(completion);
    case 'update_ended':
      return updateEnded(completion, event, now);
    case 'update_requested':
      return updateRequested(completion, event, now);
    case 'lost':
      return lost(completion, event.reason, now);
    case 'skip':
      return isSkippable(completion) ? close(completion, 'skipped', event.reason, now) : stay(completion);
    case 'retry':
      return retry(completion, event.reason, now);
    case 'damaged':
      return damaged(completion, event.reason, now);
    case 'circuit_open':
      return failedAsOthers(completion, event, now);
    case 'state_opened':
      return stay(stateOpened(completion, now));
    case 'state_deleted':
      return isSkippable(completion)
        ? close(completion, 'skipped', 'The workflow state was deleted.', now)
        : stay(completion);
  }
}

/** The row "work ends" of the table. A completion also waits for the session's own children here. */
function idle(completion: Completion, situation: Situation, now: number, limits: MachineLimits): Step {
  if (completion.workOutcome === null) return stay(completion);
  // A released completion that is asked again does not wait: it had its callbacks already.
  if (situation.awaitsCallbacks && completion.releasedAt === null) return stay(completion);
  switch (completion.status) {
    case 'none':
      return completion.releasedAt === null ? idleAfterWork(completion, situation, now) : stay(completion);
    case 'pending':
      return situation.hasState ? requestOrFail(completion, now, limits) : withoutState(completion, now);
    case 'completed':
      return release(updateEnded(completion, RECORDED, now).completion, now);
    case 'failed':
    case 'skipped':
      return release(completion, now);
  }
}

const RECORDED = { type: 'update_ended', how: 'ended', error: null } as const;

function idleAfterWork(completion: Completion, situation: Situation, now: number): Step {
  const { mode } = completion.settings;
  if (situation.isRoot || (!situation.hasState && !hasTerms(completion))) return release(completion, now);
  if (mode === 'never')
    return closeAndRelease(completion, 'skipped', 'No state update was asked for (mode never).', now);
  if (completion.workOutcome === 'stopped')
    return closeAndRelease(completion, 'skipped', 'The session was stopped.', now);
  if (completion.workOutcome === 'lost') return idleAfterLoss(completion, situation, now);
  if (isPermanent(completion.workCause))
    return idleAfterPermanentFailure(completion, completion.workCause, situation, now);
  if (!situation.hasState) return withoutState(completion, now);
  if (mode !== 'unless_satisfied' || completion.lastWriteVersion === null)
    return requestUpdate(completion, 0, false);
  const violations = situation.contractViolations();
  if (completion.wrote && violations.length === 0) return closeAndRelease(completion, 'completed', null, now);
  return requestUpdate({ ...completion, lastErrors: violations }, 0, false);
}

/** The child cannot be asked: the cause that failed its work would also fail the request. */
function idleAfterPermanentFailure(
  completion: Completion,
  cause: PermanentCause,
  situation: Situation,
  now: number,
): Step {
  const causeFingerprint = fingerprintOf({ outcome: cause, errors: [] }, completion.workError);
  const reason = permanentReason(completion.workError);
  return endUnasked({ ...completion, causeFingerprint }, reason, situation, now);
}

/** No client can be asked. This does not affect other children. */
function idleAfterLoss(completion: Completion, situation: Situation, now: number): Step {
  const reason = `Nobody is there to be asked. ${completion.workError ?? ''}`.trim();
  return endUnasked({ ...completion, causeFingerprint: null }, reason, situation, now);
}

/** An earlier result of the child counts if its contract confirms it. */
function endUnasked(completion: Completion, reason: string, situation: Situation, now: number): Step {
  const { contract } = completion.settings;
  const violations = contract === null || !completion.wrote ? [] : situation.contractViolations();
  if (situation.hasState && completion.wrote && contract !== null && violations.length === 0)
    return closeAndRelease({ ...completion, causeFingerprint: null }, 'completed', null, now);
  return closeAndRelease({ ...completion, lastErrors: violations }, 'failed', reason, now);
}

function withoutState(completion: Completion, now: number): Step {
  const next = awaitState(completion, now);
  return next.awaits
    ? stay(next.completion)
    : closeAndRelease(next.completion, next.status, next.reason, now);
}

/** Begins the next attempt. The effect queues the run or publishes the request. */
function requestUpdate(completion: Completion, delayMs: number, environmentTrouble: boolean): Step {
  const attempt = completion.attempt + 1;
  return {
    completion: completionWith(completion, 'pending', { attempt, reason: null, dueAt: null }),
    effects: [{ type: 'request_update', attempt, level: promptLevel(attempt), delayMs, environmentTrouble }],
  };
}

function updateRequested(
  completion: Completion,
  event: CompletionEvent & { type: 'update_requested' },
  now: number,
): Step {
  const fits =
    completion.status === 'pending' && completion.attempt > 0 && openAttemptOf(completion) === null;
  return stay(fits ? openAttempt(completion, event, now) : completion);
}

/**
 * Records success. Settling releases the completion, in the same decision if that knows the document as the write leaves
 * it. Otherwise the next step is due at once.
 */
function written(
  completion: Completion,
  event: CompletionEvent & { type: 'written' },
  now: number,
  limits: MachineLimits,
): Step {
  const noted = noteChange(completion, event, limits);
  if (completion.status !== 'pending') return stay(noted);
  if (event.contractViolations.length > 0) {
    return stay(noteErrors(noted, event.contractViolations.slice(0, limits.violationsMax)));
  }
  return recorded(noted, now);
}

function recorded(completion: Completion, now: number): Step {
  const follows = completion.releasedAt === null || openAttemptOf(completion) !== null;
  return {
    completion: completionWith(completion, 'completed', {
      lastErrors: [],
      reason: null,
      request: null,
      dueAt: follows ? now : null,
    }),
    effects: [{ type: 'cancel_request', stop: false }],
  };
}

function writeFailure(completion: Completion, violations: readonly Violation[], limits: MachineLimits): Step {
  const isPending = completion.status === 'pending';
  return stay(isPending ? noteErrors(completion, violations.slice(0, limits.violationsMax)) : completion);
}

/** Ends the open attempt. Settling decides the next step. */
function updateEnded(
  completion: Completion,
  event: CompletionEvent & { type: 'update_ended' },
  now: number,
): Step {
  const open = openAttemptOf(completion);
  if (open !== null) return stay(endOpenAttempt(completion, open, event.how, event.error, now));
  // Its timer has fired; it now waits for something other than time.
  return stay(
    completion.status === 'completed' && completion.dueAt !== null
      ? { ...completion, dueAt: null }
      : completion,
  );
}

/** A pending completion without an open attempt: sends the next prompt, or fails. */
function requestOrFail(completion: Completion, now: number, limits: MachineLimits): Step {
  const last = completion.attempts.at(-1);
  if (last?.outcome === 'open') return stay(completion);
  if (last?.outcome === 'environment') {
    if (completion.environmentRetries > limits.environmentRetriesMax) return fail(completion, last, now);
    const backoffMs = limits.environmentBackoffMs * 2 ** Math.max(0, completion.environmentRetries - 1);
    return requestUpdate(completion, Math.min(backoffMs, limits.environmentBackoffMsMax), true);
  }
  // After an operator's retry, `attempt` is 0 again.
  const isFinal = isPermanent(last?.outcome) && completion.attempt > 0;
  if (last !== undefined && (isFinal || completion.attempt >= completion.settings.attemptsMax))
    return fail(completion, last, now);
  const delayMs = last === undefined || last.outcome === 'cancelled' ? 0 : completion.settings.retryDelayMs;
  return requestUpdate(completion, delayMs, false);
}

function fail(completion: Completion, last: CompletionAttempt, now: number): Step {
  const reason = failureReason(completion, last);
  const failed = { ...completion, causeFingerprint: fingerprintOf(last, completion.reason) };
  return closeAndRelease(failed, 'failed', reason, now);
}

function retry(completion: Completion, reason: string, now: number): Step {
  if (completion.workOutcome === null || completion.status === 'none' || completion.status === 'completed') {
    return stay(completion);
  }
  const fresh = cancelOpenAttempt(completion, now);
  return {
    completion: completionWith(fresh, 'pending', {
      attempt: 0,
      environmentRetries: 0,
      reason,
      request: null,
      dueAt: null,
      causeFingerprint: null,
    }),
    effects: fresh === completion ? [] : [{ type: 'cancel_request', stop: true }],
  };
}

function failedAsOthers(
  completion: Completion,
  event: CompletionEvent & { type: 'circuit_open' },
  now: number,
): Step {
  if (completion.status !== 'pending') return stay(completion);
  return close({ ...completion, causeFingerprint: event.fingerprint }, 'failed', event.reason, now);
}

/**
 * A record that the completion depends on is not readable. A completion that is released or has its result
 * stays as it is, unless it is pending.
 */
function damaged(completion: Completion, reason: string, now: number): Step {
  return isSkippable(completion)
    ? close({ ...completion, causeFingerprint: null }, 'failed', reason, now)
    : stay(completion);
}
