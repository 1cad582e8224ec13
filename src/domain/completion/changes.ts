// What a completion keeps for the parent: the result of the child's work, and the changes that it wrote.
import type { Completion } from '../records/records.js';
import type { CompletionEvent, MachineLimits } from './events.js';

/** Records an accepted, changing write of the child, or of a sub-agent that works for it. */
export function noteChange(
  completion: Completion,
  event: CompletionEvent & { type: 'written' | 'written_for' },
  limits: MachineLimits,
): Completion {
  const changes = [...completion.changes, { version: event.version, patch: event.patch }];
  const fits =
    !completion.changesTruncated &&
    Buffer.byteLength(JSON.stringify(changes)) <= limits.callbackChangesBytesMax;
  return {
    ...completion,
    wrote: true,
    broken: event.type === 'written' && event.contractViolations.length === 0 ? null : completion.broken,
    lastWriteVersion: event.version,
    changes: fits ? changes : completion.changes,
    changesTruncated: !fits,
  };
}

/** Records the result of the work. Each further work run of the generation replaces it. Update runs never call this. */
export function workEnded(
  completion: Completion,
  event: CompletionEvent & { type: 'work_ended' },
): Completion {
  if (completion.releasedAt !== null) return late(completion, event);
  return {
    ...completion,
    dueAt: null,
    workOutcome: event.outcome,
    resultText: event.resultText ?? completion.resultText,
    resultData: event.resultData ?? completion.resultData,
    workError: event.error,
    workCause: event.cause,
  };
}

/** Keeps the result that a lost session reports later, if there was none before. The parent gets no second callback. */
function late(completion: Completion, event: CompletionEvent & { type: 'work_ended' }): Completion {
  const { workOutcome, resultText, resultData } = completion;
  if (workOutcome !== 'lost' || resultText !== null || resultData !== null) return completion;
  if (event.resultText === null && event.resultData === null) return completion;
  return { ...completion, resultText: event.resultText, resultData: event.resultData };
}
