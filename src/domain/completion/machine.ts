// The two-phase completion as a pure function: (completion, event) -> (completion, effects). Design, section 5.
// Everything else of a completion (runs, callbacks, parents) follows from the effects. `docs/lifecycle.md` has the table.
import type { Violation } from '../errors.js';
import type { Limits } from '../limits.js';
import type { Patch } from '../patch.js';
import type { Completion, CompletionAttempt, CompletionSettings, WorkOutcome } from '../records.js';
import type { JsonValue } from '../json.js';
import { fingerprintOf } from './fingerprint.js';

/** What is so around the session at the moment when nothing of it is under way. */
export interface Situation {
  /** The tree has a workflow state now. One that was deleted has skipped the completions that were open. */
  readonly hasState: boolean;
  readonly isRoot: boolean;
  /** Children of this generation that were asked to call back, and have not yet. */
  readonly awaitsCallbacks: boolean;
  /** What the contract says of the document now; none where it holds or there is no contract. */
  readonly contractViolations: () => readonly Violation[];
}

export type CompletionEvent =
  /** A further work run of the same generation began. */
  | { readonly type: 'work_began' }
  | {
      readonly type: 'work_ended';
      readonly outcome: WorkOutcome;
      readonly resultText: string | null;
      readonly resultData: JsonValue;
      readonly error: string | null;
    }
  /** Nothing of the session is under way or waiting to run. */
  | { readonly type: 'settled'; readonly situation: Situation }
  /** An accepted, changing write by the session. */
  | {
      readonly type: 'written';
      readonly version: number;
      readonly patch: Patch;
      readonly contractViolations: readonly Violation[];
    }
  /** A write of the session that was refused. */
  | { readonly type: 'write_refused'; readonly violations: readonly Violation[] }
  /** The run or request that asked for the update is over. */
  | { readonly type: 'update_ended'; readonly how: UpdateEnd; readonly error: string | null }
  /** The run that asks was made. */
  | { readonly type: 'asked'; readonly runId: string | null; readonly prompt: string | null }
  | { readonly type: 'skip'; readonly reason: string }
  | { readonly type: 'retry'; readonly reason: string }
  /** Siblings failed in a row for one cause. */
  | { readonly type: 'doomed'; readonly fingerprint: string; readonly reason: string }
  | { readonly type: 'state_deleted' };

/** `ended`: the child came back. `environment`: it never had a chance; not its failure. */
export type UpdateEnd = 'ended' | 'agent_failed' | 'timed_out' | 'environment' | 'cancelled';

export type CompletionEffect =
  /** Resume the child with a prompt of this level, after a delay. */
  | {
      readonly type: 'ask';
      readonly attempt: number;
      readonly level: 1 | 2 | 3;
      readonly delayMs: number;
      /** The last try failed for a reason outside of the child. */
      readonly environmentTrouble: boolean;
    }
  /** Take back the run that asks. One that a runner has already may end by itself, unless it is to be stopped. */
  | { readonly type: 'withdraw'; readonly stop: boolean }
  /** Hand the outcome on. */
  | { readonly type: 'release' };

export interface Step {
  readonly completion: Completion;
  readonly effects: readonly CompletionEffect[];
}

/** Rules that the machine takes from the limits. */
export type MachineLimits = Pick<
  Limits,
  | 'environmentRetriesMax'
  | 'environmentBackoffMs'
  | 'environmentBackoffMsMax'
  | 'callbackChangesBytesMax'
  | 'violationsMax'
>;

/** A completion before anything has happened. */
export function newCompletion(
  of: Pick<Completion, 'sessionId' | 'generation' | 'rootSessionId'>,
  settings: CompletionSettings,
  now: number,
): Completion {
  return {
    sessionId: of.sessionId,
    generation: of.generation,
    rootSessionId: of.rootSessionId,
    status: 'none',
    settings,
    workOutcome: null,
    resultText: null,
    resultData: null,
    workError: null,
    attempt: 0,
    environmentRetries: 0,
    attempts: [],
    request: null,
    wrote: false,
    lastWriteVersion: null,
    changes: [],
    changesTruncated: false,
    lastErrors: [],
    reason: null,
    causeFingerprint: null,
    releasedAt: null,
    dueAt: null,
    createdAt: now,
    updatedAt: now,
    revision: 0,
  };
}

/**
 * Moves a completion on.
 *
 * Guarantees: `release` comes at most once for a completion, never while it is pending, and never before its work ended.
 *
 * @returns The completion after the event and what has to follow, in order. An event that does not fit changes nothing.
 */
export function step(
  completion: Completion,
  event: CompletionEvent,
  now: number,
  limits: MachineLimits,
): Step {
  const moved = move(completion, event, now, limits);
  return moved.completion === completion
    ? moved
    : { ...moved, completion: { ...moved.completion, updatedAt: now } };
}

function move(completion: Completion, event: CompletionEvent, now: number, limits: MachineLimits): Step {
  switch (event.type) {
    case 'work_began':
      return completion.releasedAt === null && completion.workOutcome !== null
        ? stay({ ...completion, workOutcome: null })
        : stay(completion);
    case 'work_ended':
      return workEnded(completion, event);
    case 'settled':
      return settled(completion, event.situation, now, limits);
    case 'written':
      return written(completion, event, now, limits);
    case 'write_refused':
      return writeRefused(completion, event.violations, limits);
    case 'update_ended':
      return updateEnded(completion, event.how, event.error, now);
    case 'asked':
      return asked(completion, event, now);
    case 'skip':
      return close(completion, 'skipped', event.reason, now);
    case 'retry':
      return retry(completion, event.reason, now);
    case 'doomed':
      return doomed(completion, event, now);
    case 'state_deleted':
      return completion.status === 'pending' || completion.status === 'none'
        ? close(completion, 'skipped', 'The workflow state was deleted.', now)
        : stay(completion);
  }
}

function stay(completion: Completion): Step {
  return { completion, effects: [] };
}

/** Keeps what the work came to. Each further work run of the generation replaces it; an update run never gets here. */
function workEnded(completion: Completion, event: CompletionEvent & { type: 'work_ended' }): Step {
  if (completion.releasedAt !== null) return stay(completion);
  return {
    completion: {
      ...completion,
      workOutcome: event.outcome,
      resultText: event.resultText ?? completion.resultText,
      resultData: event.resultData ?? completion.resultData,
      workError: event.error,
    },
    effects: [],
  };
}

/** The row "work ends" of the table, and what waits behind a session's own children. */
function settled(completion: Completion, situation: Situation, now: number, limits: MachineLimits): Step {
  if (completion.workOutcome === null || situation.awaitsCallbacks) return stay(completion);
  switch (completion.status) {
    case 'none':
      return settledWork(completion, situation, now);
    case 'pending':
      return situation.hasState
        ? askOrFail(completion, now, limits)
        : close(completion, 'skipped', 'The workflow state is gone.', now);
    case 'completed':
    case 'failed':
    case 'skipped':
      return release(completion, now);
  }
}

function settledWork(completion: Completion, situation: Situation, now: number): Step {
  const { mode } = completion.settings;
  if (situation.isRoot || !situation.hasState) return release(completion, now);
  if (mode === 'never')
    return close(completion, 'skipped', 'No state update was asked for (mode never).', now);
  if (completion.workOutcome === 'stopped')
    return close(completion, 'skipped', 'The session was stopped.', now);
  if (mode === 'unless_satisfied' && completion.wrote) {
    const violations = situation.contractViolations();
    if (violations.length === 0) return close(completion, 'completed', null, now);
    return ask({ ...completion, lastErrors: violations }, 0, false);
  }
  return ask(completion, 0, false);
}

/** Begins the next attempt: the run is queued, or the request put up, by whoever carries out the effect. */
function ask(completion: Completion, delayMs: number, environmentTrouble: boolean): Step {
  const attempt = completion.attempt + 1;
  return {
    completion: { ...completion, status: 'pending', attempt, reason: null },
    effects: [{ type: 'ask', attempt, level: promptLevel(attempt), delayMs, environmentTrouble }],
  };
}

/** Each prompt is stronger than the one before, the third as strong as they get. */
export function promptLevel(attempt: number): 1 | 2 | 3 {
  return attempt <= 1 ? 1 : attempt === 2 ? 2 : 3;
}

function asked(completion: Completion, event: CompletionEvent & { type: 'asked' }, now: number): Step {
  if (completion.status !== 'pending') return stay(completion);
  const opened: CompletionAttempt = {
    attempt: completion.attempt,
    runId: event.runId,
    promptLevel: promptLevel(completion.attempt),
    outcome: 'open',
    errors: [],
    startedAt: now,
    endedAt: null,
  };
  const request =
    event.prompt === null
      ? null
      : { attempt: completion.attempt, of: completion.settings.attemptsMax, prompt: event.prompt };
  return {
    completion: {
      ...completion,
      attempts: [...completion.attempts, opened],
      request,
      dueAt: event.runId === null ? now + completion.settings.timeoutMs : null,
    },
    effects: [],
  };
}

/** Success. What follows is due at once, in a step of its own: the write has to stand in the state before it is told. */
function written(
  completion: Completion,
  event: CompletionEvent & { type: 'written' },
  now: number,
  limits: MachineLimits,
): Step {
  const noted = noteChange(completion, event, limits);
  if (completion.status !== 'pending') return { completion: noted, effects: [] };
  if (event.contractViolations.length > 0) {
    return { completion: { ...noted, lastErrors: event.contractViolations }, effects: [] };
  }
  return {
    completion: { ...noted, status: 'completed', lastErrors: [], reason: null, request: null, dueAt: now },
    effects: [{ type: 'withdraw', stop: false }],
  };
}

function noteChange(
  completion: Completion,
  event: CompletionEvent & { type: 'written' },
  limits: MachineLimits,
): Completion {
  const changes = [...completion.changes, { version: event.version, patch: event.patch }];
  const fits =
    !completion.changesTruncated && JSON.stringify(changes).length <= limits.callbackChangesBytesMax;
  return {
    ...completion,
    wrote: true,
    lastWriteVersion: event.version,
    changes: fits ? changes : completion.changes,
    changesTruncated: !fits,
  };
}

function writeRefused(completion: Completion, violations: readonly Violation[], limits: MachineLimits): Step {
  if (completion.status !== 'pending') return stay(completion);
  return {
    completion: { ...completion, lastErrors: violations.slice(0, limits.violationsMax) },
    effects: [],
  };
}

/** Closes the attempt that is open. What follows is decided when everything around the session has settled. */
function updateEnded(completion: Completion, how: UpdateEnd, error: string | null, now: number): Step {
  const open = completion.attempts.at(-1);
  if (open?.outcome !== 'open') return stay(completion);
  const outcome = completion.status === 'completed' ? 'recorded' : attemptOutcome(how, completion.lastErrors);
  const environment = outcome === 'environment';
  return {
    completion: {
      ...completion,
      attempts: [
        ...completion.attempts.slice(0, -1),
        {
          ...open,
          outcome,
          errors: completion.status === 'completed' ? [] : completion.lastErrors,
          endedAt: now,
        },
      ],
      attempt: environment ? completion.attempt - 1 : completion.attempt,
      environmentRetries: completion.environmentRetries + (environment ? 1 : 0),
      request: null,
      dueAt: null,
      reason: completion.status === 'pending' && error !== null ? error : completion.reason,
    },
    effects: [],
  };
}

function attemptOutcome(how: UpdateEnd, violations: readonly Violation[]): CompletionAttempt['outcome'] {
  if (how !== 'ended') return how;
  return violations.length > 0 ? 'contract_failed' : 'no_write';
}

/** Pending, with no attempt open: the next prompt, or the end of it. */
function askOrFail(completion: Completion, now: number, limits: MachineLimits): Step {
  const last = completion.attempts.at(-1);
  if (last?.outcome === 'open') return stay(completion);
  if (last?.outcome === 'environment') {
    if (completion.environmentRetries > limits.environmentRetriesMax) return fail(completion, last, now);
    const backoffMs = limits.environmentBackoffMs * 2 ** Math.max(0, completion.environmentRetries - 1);
    return ask(completion, Math.min(backoffMs, limits.environmentBackoffMsMax), true);
  }
  if (completion.attempt >= completion.settings.attemptsMax && last !== undefined)
    return fail(completion, last, now);
  const delayMs = last === undefined || last.outcome === 'cancelled' ? 0 : completion.settings.retryDelayMs;
  return ask(completion, delayMs, false);
}

function fail(completion: Completion, last: CompletionAttempt, now: number): Step {
  const reason = failureReason(completion, last);
  const failed = { ...completion, causeFingerprint: fingerprintOf(last, completion.reason) };
  return close(failed, 'failed', reason, now);
}

function failureReason(completion: Completion, last: CompletionAttempt): string {
  const tries = `${String(completion.settings.attemptsMax)} of ${String(completion.settings.attemptsMax)} attempts`;
  switch (last.outcome) {
    case 'environment':
      return `The child could not be asked: ${completion.reason ?? 'its surroundings failed'} (${String(completion.environmentRetries)} tries).`;
    case 'contract_failed':
      return `The child wrote, but not what was agreed (${tries}).`;
    case 'timed_out':
      return `The child did not answer in time (${tries}).`;
    case 'agent_failed':
      return `The child failed while it was asked to record its result (${tries}).`;
    default:
      return `The child recorded nothing (${tries}).`;
  }
}

/** Ends a completion in a given status; it is released at once where the work has ended. */
function close(
  completion: Completion,
  status: 'completed' | 'failed' | 'skipped',
  reason: string | null,
  now: number,
): Step {
  if (completion.releasedAt !== null && completion.status !== 'pending') return stay(completion);
  const withdrawn = cancelOpenAttempt(completion, now);
  const closed: Completion = { ...withdrawn, status, reason, request: null, dueAt: null };
  const released = closed.workOutcome === null ? stay(closed) : release(closed, now);
  return {
    completion: released.completion,
    effects:
      withdrawn === completion ? released.effects : [{ type: 'withdraw', stop: true }, ...released.effects],
  };
}

function cancelOpenAttempt(completion: Completion, now: number): Completion {
  const open = completion.attempts.at(-1);
  if (open?.outcome !== 'open') return completion;
  const cancelled = { ...open, outcome: 'cancelled' as const, endedAt: now };
  return { ...completion, attempts: [...completion.attempts.slice(0, -1), cancelled] };
}

/** Once for a completion, whatever comes after. */
function release(completion: Completion, now: number): Step {
  if (completion.releasedAt !== null) return stay(completion);
  return { completion: { ...completion, releasedAt: now, dueAt: null }, effects: [{ type: 'release' }] };
}

function retry(completion: Completion, reason: string, now: number): Step {
  if (completion.workOutcome === null || completion.status === 'none' || completion.status === 'completed') {
    return stay(completion);
  }
  const fresh = cancelOpenAttempt(completion, now);
  return {
    completion: {
      ...fresh,
      status: 'pending',
      attempt: 0,
      environmentRetries: 0,
      reason,
      request: null,
      dueAt: null,
      causeFingerprint: null,
    },
    effects: fresh === completion ? [] : [{ type: 'withdraw', stop: true }],
  };
}

function doomed(completion: Completion, event: CompletionEvent & { type: 'doomed' }, now: number): Step {
  if (completion.status !== 'pending') return stay(completion);
  return close({ ...completion, causeFingerprint: event.fingerprint }, 'failed', event.reason, now);
}
