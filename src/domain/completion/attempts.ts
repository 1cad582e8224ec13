// The attempts of a completion: how one is opened, what is noted on it, and how it ends.
import type { Violation } from '../errors.js';
import type { Completion, CompletionAttempt } from '../records/records.js';
import type { UpdateEnd } from './events.js';

/** Each prompt is stronger than the one before, the third as strong as they get. */
export function promptLevel(attempt: number): 1 | 2 | 3 {
  return attempt <= 1 ? 1 : attempt === 2 ? 2 : 3;
}

/** The attempt that is under way; `null` where there is none. */
export function openAttemptOf(completion: Completion): CompletionAttempt | null {
  const last = completion.attempts.at(-1);
  return last?.outcome === 'open' ? last : null;
}

/** The child is being asked: by a run, or by a request that an external session finds. */
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

/** What was wrong with a write: for the next prompt, and for the attempt that it came in. */
export function noteErrors(completion: Completion, errors: readonly Violation[]): Completion {
  const open = openAttemptOf(completion);
  const noted = { ...completion, lastErrors: errors };
  return open === null ? noted : withLast(noted, { ...open, errors });
}

/** Ends the attempt that is under way. An environment that failed gives the attempt back. */
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

/** Closes the attempt that is under way because nobody waits for it any more. */
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

/** What an operator, or the end of the state, can still skip. */
export function isSkippable({ status, releasedAt }: Completion): boolean {
  return status === 'pending' || (status === 'none' && releasedAt === null);
}

/** True where nothing will come of a completion any more: the session's next piece of work can begin. */
export function isOver(completion: Completion): boolean {
  return (
    completion.releasedAt !== null && completion.status !== 'pending' && openAttemptOf(completion) === null
  );
}
