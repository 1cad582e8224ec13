// Carries out the effects of the completion machine: requests state updates and queues callbacks. The machine
// decides; nothing here does. The end of the decision settles the sessions that this touches.
import { callbackMessage } from '../prompts/callback-message.js';
import { queued } from '../lifecycle/callback.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import type { Callback, Completion } from '../records/records.js';
import { ended, isUnderWay, newRun, stopping } from '../lifecycle/run.js';
import { promptFor } from './prompt-for.js';
import type { CompletionEffect, CompletionEvent } from './events.js';
import { step } from './machine.js';
import { openCompletions } from './open-completions.js';

/**
 * Applies an event to a session's completion and carries out its effects at once.
 *
 * @param generation - The generation that the event is about; the present one by default.
 */
export function apply(
  unit: UnitOfWork,
  sessionId: string,
  event: CompletionEvent,
  generation?: number,
): void {
  const before = unit.completion(sessionId, generation);
  const { completion, effects } = step(before, event, unit.now, unit.context.limits);
  if (completion !== before) unit.putCompletion(completion);
  for (const effect of effects) applyEffect(unit, sessionId, effect);
  const counts = event.type !== 'circuit_open' && event.type !== 'damaged' && event.type !== 'lost';
  if (completion.status !== before.status && counts) countFailure(unit, completion);
}

function applyEffect(unit: UnitOfWork, sessionId: string, effect: CompletionEffect): void {
  switch (effect.type) {
    case 'request_update':
      requestUpdate(unit, sessionId, effect);
      return;
    case 'cancel_request':
      cancelRequest(unit, sessionId, effect.stop);
      return;
    case 'queue_callback':
      queueCallback(unit, sessionId);
      return;
  }
}

/** Asks the child to record its result: with a run, or with a request that an external session reads. */
function requestUpdate(
  unit: UnitOfWork,
  sessionId: string,
  effect: CompletionEffect & { type: 'request_update' },
): void {
  const { session } = unit.aggregate(sessionId);
  const completion = unit.completion(sessionId);
  const { prompt, stateId, shown } = promptFor(unit, sessionId, effect.level, effect.environmentTrouble);
  if (session.external) {
    apply(unit, sessionId, { type: 'update_requested', runId: null, prompt });
    return;
  }
  const run = newRun(
    {
      runId: unit.context.newId('run'),
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
        shown_state_id: shown === null ? null : stateId,
      },
    },
    unit.now,
    unit.context.limits,
  );
  unit.putRun(run);
  apply(unit, sessionId, { type: 'update_requested', runId: run.runId, prompt: null });
}

function cancelRequest(unit: UnitOfWork, sessionId: string, stop: boolean): void {
  const asking = unit.aggregate(sessionId).runs.filter((run) => run.purpose === 'state_update');
  for (const run of asking) {
    if (run.status === 'pending') {
      unit.putRun(ended(run, { status: 'stopped', error: 'No longer needed.', cause: null }, unit.now));
    } else if (stop && run.status !== 'stopping') {
      unit.putRun(stopping(run, 'cancelled'));
    }
  }
}

/** Queues the callback to the parent, if the parent asked for one. */
function queueCallback(unit: UnitOfWork, sessionId: string): void {
  const completion = unit.completion(sessionId);
  const { session, outbox } = unit.aggregate(sessionId);
  const held = outbox.find((one) => one.childGeneration === completion.generation && one.status === 'held');
  if (held === undefined || session.parentSessionId === null) return;
  unit.putCallback(releasedWith(unit, completion, held));
}

function releasedWith(unit: UnitOfWork, completion: Completion, held: Callback): Callback {
  const { session } = unit.aggregate(completion.sessionId);
  const view = unit.view(session.rootSessionId);
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
      contractViolations: lastLook ? unit.contractViolations(completion) : null,
      resultBytesMax: unit.context.limits.callbackResultBytesMax,
    }),
  };
  return queued(held, outcome, unit.now);
}

/**
 * If several completions in a row fail for one cause, the pending ones fail, too, because they would fail the
 * same way. A completion that fails because of its configuration fails the siblings with the same
 * configuration.
 */
function countFailure(unit: UnitOfWork, completion: Completion): void {
  if (completion.status !== 'failed' && completion.status !== 'completed') return;
  const cause = completion.attempts.at(-1)?.outcome ?? completion.workCause;
  // These causes do not affect other children.
  if (completion.status === 'failed' && (cause === 'prompt_too_long' || completion.workOutcome === 'lost'))
    return;
  const tree = unit.tree(completion.rootSessionId);
  if (completion.status === 'completed') {
    if (tree.failuresInARow > 0) unit.putTree({ ...tree, failureFingerprint: null, failuresInARow: 0 });
    return;
  }
  const same = tree.failureFingerprint === completion.causeFingerprint;
  const failuresInARow = same ? tree.failuresInARow + 1 : 1;
  unit.putTree({ ...tree, failureFingerprint: completion.causeFingerprint, failuresInARow });
  const isMany = failuresInARow >= unit.context.limits.sameCauseFailuresMax;
  if (!isMany && cause !== 'configuration') return;
  // One that an operator retries is tried, whatever became of others.
  const unreleased = openCompletions(unit, tree.rootSessionId).filter(
    ({ releasedAt }) => releasedAt === null,
  );
  const open = unreleased.map(({ sessionId }) => sessionId);
  const failing = isMany ? open : open.filter((one) => waitsForTheSame(unit, one, completion.sessionId));
  const reason = isMany
    ? `${String(failuresInARow)} completions of this tree failed in a row for the same cause: ${completion.reason ?? ''}`
    : `The session ${unit.aggregate(completion.sessionId).session.sessionName}, which runs the same way, failed: ${completion.reason ?? ''}`;
  for (const sessionId of failing) {
    if (hasItsResult(unit, sessionId)) apply(unit, sessionId, { type: 'repeated' });
    else
      apply(unit, sessionId, {
        type: 'circuit_open',
        fingerprint: completion.causeFingerprint ?? '',
        reason,
      });
  }
}

/** True if the session has recorded by its own write what its contract requires: the cause did not affect it. */
function hasItsResult(unit: UnitOfWork, sessionId: string): boolean {
  const completion = unit.completion(sessionId);
  if (completion.status !== 'pending' || !completion.wrote || completion.settings.contract === null)
    return false;
  return unit.contractViolations(completion).length === 0;
}

/** True for a sibling with no run in progress that has the same executor, agent and host. */
function waitsForTheSame(unit: UnitOfWork, sessionId: string, failedId: string): boolean {
  const { session, runs } = unit.aggregate(sessionId);
  const { session: failed } = unit.aggregate(failedId);
  return (
    !session.external &&
    session.agentName === failed.agentName &&
    session.executorType === failed.executorType &&
    session.hostname === failed.hostname &&
    !runs.some(isUnderWay)
  );
}
