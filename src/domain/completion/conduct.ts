// Carries out the effects of the completion machine: requests state updates and queues callbacks. The machine
// decides; nothing here does. The end of the decision settles the sessions that this touches.
import { callbackMessage } from '../callbacks/message.js';
import { queued } from '../callbacks/status.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import type { Callback, Completion } from '../records/records.js';
import { ended, isUnderWay, newRun, stopping } from '../runs/lifecycle.js';
import { promptFor } from './ask.js';
import type { CompletionEffect, CompletionEvent } from './events.js';
import { step } from './machine.js';

/**
 * Applies an event to a session's completion and carries out its effects at once.
 *
 * @param generation - The generation that the event is about; the present one by default.
 */
export function apply(
  draft: UnitOfWork,
  sessionId: string,
  event: CompletionEvent,
  generation?: number,
): void {
  const before = draft.completion(sessionId, generation);
  const { completion, effects } = step(before, event, draft.now, draft.context.limits);
  if (completion !== before) draft.putCompletion(completion);
  for (const effect of effects) carryOut(draft, sessionId, effect);
  const counts = event.type !== 'doomed' && event.type !== 'damaged' && event.type !== 'lost';
  if (completion.status !== before.status && counts) countFailure(draft, completion);
}

function carryOut(draft: UnitOfWork, sessionId: string, effect: CompletionEffect): void {
  switch (effect.type) {
    case 'request_update':
      requestUpdate(draft, sessionId, effect);
      return;
    case 'cancel_request':
      cancelRequest(draft, sessionId, effect.stop);
      return;
    case 'queue_callback':
      queueCallback(draft, sessionId);
      return;
  }
}

/** Asks the child to record its result: with a run, or with a request that an external session reads. */
function requestUpdate(
  draft: UnitOfWork,
  sessionId: string,
  effect: CompletionEffect & { type: 'request_update' },
): void {
  const { session } = draft.desk(sessionId);
  const completion = draft.completion(sessionId);
  const { prompt, shown } = promptFor(draft, sessionId, effect.level, effect.environmentTrouble);
  if (session.external) {
    apply(draft, sessionId, { type: 'update_requested', runId: null, prompt });
    return;
  }
  const run = newRun(
    {
      runId: draft.context.newId('run'),
      type: 'resume_session',
      purpose: 'state_update',
      session,
      generation: session.generation,
      prompt,
      timeoutMs: completion.settings.timeoutMs,
      delayMs: effect.delayMs,
      metadata: {
        state_update_run: true,
        attempt: effect.attempt,
        of: completion.settings.attemptsMax,
        shown_state_version: shown,
      },
    },
    draft.now,
    draft.context.limits,
  );
  draft.putRun(run);
  apply(draft, sessionId, { type: 'update_requested', runId: run.runId, prompt: null });
}

function cancelRequest(draft: UnitOfWork, sessionId: string, stop: boolean): void {
  const asking = draft.desk(sessionId).runs.filter((run) => run.purpose === 'state_update');
  for (const run of asking) {
    if (run.status === 'pending') {
      draft.putRun(ended(run, { status: 'stopped', error: 'No longer needed.', cause: null }, draft.now));
    } else if (stop && run.status !== 'stopping') {
      draft.putRun(stopping(run, 'cancelled'));
    }
  }
}

/** Queues the callback to the parent, if the parent asked for one. */
function queueCallback(draft: UnitOfWork, sessionId: string): void {
  const completion = draft.completion(sessionId);
  const { session, outbox } = draft.desk(sessionId);
  const held = outbox.find((one) => one.childGeneration === completion.generation && one.status === 'held');
  if (held === undefined || session.parentSessionId === null) return;
  draft.putCallback(toldBy(draft, completion, held));
}

function toldBy(draft: UnitOfWork, completion: Completion, held: Callback): Callback {
  const { session } = draft.desk(completion.sessionId);
  const view = draft.view(session.rootSessionId);
  const { status, wrote, settings } = completion;
  const mayHold = status === 'completed' || (status === 'failed' && wrote);
  const lastLook = view !== null && mayHold && settings.contract !== null;
  const outcome = {
    outcome: completion.workOutcome,
    updateStatus: completion.status,
    stateVersion: view?.version ?? null,
    message: callbackMessage({
      callbackId: held.callbackId,
      session,
      completion,
      view,
      verdict: lastLook ? draft.verdict(completion) : null,
      resultBytesMax: draft.context.limits.callbackResultBytesMax,
    }),
  };
  return queued(held, outcome, draft.now);
}

/**
 * If several completions in a row fail for one cause, the pending ones fail, too, because they would fail the
 * same way. A completion that fails because of its configuration fails the siblings with the same
 * configuration.
 */
function countFailure(draft: UnitOfWork, completion: Completion): void {
  if (completion.status !== 'failed' && completion.status !== 'completed') return;
  const cause = completion.attempts.at(-1)?.outcome ?? completion.workCause;
  // These causes do not affect other children.
  if (completion.status === 'failed' && (cause === 'prompt_too_long' || completion.workOutcome === 'lost'))
    return;
  const tree = draft.tree(completion.rootSessionId);
  if (completion.status === 'completed') {
    if (tree.failuresInARow > 0) draft.putTree({ ...tree, failureFingerprint: null, failuresInARow: 0 });
    return;
  }
  const same = tree.failureFingerprint === completion.causeFingerprint;
  const failuresInARow = same ? tree.failuresInARow + 1 : 1;
  draft.putTree({ ...tree, failureFingerprint: completion.causeFingerprint, failuresInARow });
  const isMany = failuresInARow >= draft.context.limits.sameCauseFailuresMax;
  if (!isMany && cause !== 'configuration') return;
  draft.need({ want: 'openDesks', rootSessionId: tree.rootSessionId });
  const open = draft.openSessions(tree.rootSessionId);
  const failing = isMany ? open : open.filter((one) => waitsForTheSame(draft, one, completion.sessionId));
  const reason = isMany
    ? `${String(failuresInARow)} completions of this tree failed in a row for the same cause: ${completion.reason ?? ''}`
    : `The session ${draft.desk(completion.sessionId).session.sessionName}, which runs the same way, failed: ${completion.reason ?? ''}`;
  for (const sessionId of failing) {
    if (hasItsResult(draft, sessionId)) apply(draft, sessionId, { type: 'repeated' });
    else apply(draft, sessionId, { type: 'doomed', fingerprint: completion.causeFingerprint ?? '', reason });
  }
}

/** True if the session has recorded by its own write what its contract requires: the cause did not affect it. */
function hasItsResult(draft: UnitOfWork, sessionId: string): boolean {
  const completion = draft.completion(sessionId);
  if (completion.status !== 'pending' || !completion.wrote || completion.settings.contract === null)
    return false;
  return draft.verdict(completion).violations.length === 0;
}

/** True for a sibling with no run in progress that has the same executor, agent and host. */
function waitsForTheSame(draft: UnitOfWork, sessionId: string, failedId: string): boolean {
  const { session, runs } = draft.desk(sessionId);
  const { session: failed } = draft.desk(failedId);
  return (
    !session.external &&
    session.agentName === failed.agentName &&
    session.executorType === failed.executorType &&
    session.hostname === failed.hostname &&
    !runs.some(isUnderWay)
  );
}
