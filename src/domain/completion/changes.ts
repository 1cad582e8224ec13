// What a child has done, as its completion remembers it for the parent: what its work came to, and what it changed.
import type { Completion } from '../records/records.js';
import type { CompletionEvent, MachineLimits } from './events.js';

/** Notes an accepted, changing write of the child, or of a sub-agent that works for it. */
export function noteChange(
  completion: Completion,
  event: CompletionEvent & { type: 'written' | 'written_for' },
  limits: MachineLimits,
): Completion {
  const changes = [...completion.changes, { version: event.version, patch: event.patch }];
  const fits =
    !completion.changesTruncated && JSON.stringify(changes).length <= limits.callbackChangesBytesMax;
  return {
    ...completion,
    wrote: true,
    broken: event.type === 'written' && event.contractViolations.length === 0 ? null : completion.broken,
    lastWriteVersion: event.version,
    changes: fits ? changes : completion.changes,
    changesTruncated: !fits,
  };
}

/** Keeps what the work came to. Each further work run of the generation replaces it; an update run never gets here. */
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

/** What a session says that was taken for lost is kept, where nothing was said before. Nobody is told a second time. */
function late(completion: Completion, event: CompletionEvent & { type: 'work_ended' }): Completion {
  const { workOutcome, resultText, resultData } = completion;
  if (workOutcome !== 'lost' || resultText !== null || resultData !== null) return completion;
  if (event.resultText === null && event.resultData === null) return completion;
  return { ...completion, resultText: event.resultText, resultData: event.resultData };
}
