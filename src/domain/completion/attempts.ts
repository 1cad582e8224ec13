// The attempts of a completion: how one begins, records errors, and ends.
import type { Violation } from '../errors.js';
import type { Completion, CompletionAttempt } from '../records/records.js';
import type { UpdateEnd } from './events.js';

/** Each prompt is stronger than the one before; the third is the strongest. */
export function promptLevel(attempt: number): 1 | 2 | 3 {
  return attempt <= 1 ? 1 : attempt === 2 ? 2 : 3;
}

/** The attempt in progress; `null` if there is none. */
export function openAttemptOf(completion: Completion): CompletionAttempt | null {
  const last = completion.attempts.at(-1);
  return last?.outcome === 'open' ? last : null;
}

/** Begins an attempt: a run asks the child, or a request that an external session reads. */
export function openAttempt(
  completion: Completion,
  asked: { readonly runId: string | null; readonly prompt: string | null },
  now: number,
): Completion {
  const opened: CompletionAttempt = {
    attempt: completion.attempt,
    runId: asked.runId,
    promptLevel: promptLevel(completion.attempt),
    outcome: 'open',
    errors: [],
    startedAt: now,
    endedAt: null,
  };
  const request =
    asked.prompt === null
      ? null
      : { attempt: completion.attempt, of: completion.settings.attemptsMax, prompt: asked.prompt };
  return {
    ...completion,
    attempts: [...completion.attempts, opened],
    request,
    dueAt: asked.runId === null ? now + completion.settings.timeoutMs : null,
  };
}

/** Records what was wrong with a write, for the next prompt and for the attempt in progress. */
export function noteErrors(completion: Completion, errors: readonly Violation[]): Completion {
  const open = openAttemptOf(completion);
  const noted = { ...completion, lastErrors: errors };
  return open === null ? noted : withLast(noted, { ...open, errors });
}

/** Ends the attempt in progress. An environment failure does not count as an attempt. */
export function endOpenAttempt(
  completion: Completion,
  open: CompletionAttempt,
  how: UpdateEnd,
  error: string | null,
  now: number,
): Completion {
  const recorded = completion.status === 'completed';
  const outcome = recorded ? 'recorded' : outcomeOf(how, open.errors);
  const environment = outcome === 'environment';
  const ended = { ...open, outcome, errors: recorded ? [] : open.errors, endedAt: now };
  return {
    ...withLast(completion, ended),
    attempt: environment ? completion.attempt - 1 : completion.attempt,
    environmentRetries: completion.environmentRetries + (environment ? 1 : 0),
    request: null,
    dueAt: null,
    reason: completion.status === 'pending' && error !== null ? error : completion.reason,
  };
}

/** Cancels the attempt in progress, because its result is no longer needed. */
export function cancelOpenAttempt(completion: Completion, now: number): Completion {
  const open = openAttemptOf(completion);
  return open === null ? completion : withLast(completion, { ...open, outcome: 'cancelled', endedAt: now });
}

function outcomeOf(how: UpdateEnd, errors: readonly Violation[]): CompletionAttempt['outcome'] {
  if (how !== 'ended') return how;
  return errors.length > 0 ? 'contract_failed' : 'no_write';
}

function withLast(completion: Completion, last: CompletionAttempt): Completion {
  return { ...completion, attempts: [...completion.attempts.slice(0, -1), last] };
}

/** True if an operator, or the deletion of the state, can still skip the completion. */
export function isSkippable({ status, releasedAt }: Completion): boolean {
  return status === 'pending' || (status === 'none' && releasedAt === null);
}

/** True if the completion has reached its final result, so that the session's next piece of work can begin. */
export function isOver(completion: Completion): boolean {
  return (
    completion.releasedAt !== null && completion.status !== 'pending' && openAttemptOf(completion) === null
  );
}
