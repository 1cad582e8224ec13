// What a child has changed, as its completion remembers it for the parent: bounded in size.
import type { Completion } from '../records.js';
import type { CompletionEvent, MachineLimits } from './events.js';

/** Notes an accepted, changing write of the child. */
export function noteChange(
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
    broken: event.contractViolations.length === 0 ? null : completion.broken,
    lastWriteVersion: event.version,
    changes: fits ? changes : completion.changes,
    changesTruncated: !fits,
  };
}
