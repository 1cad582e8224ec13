// Which session aggregates a change affects, so that caches of them stay right.
import type { Change } from '../domain/transactions/changeset.js';

const NONE: readonly string[] = [];

/** The ids of the sessions whose aggregates a change affects. */
export function sessionsOfChange(change: Change): readonly string[] {
  if ('remove' in change) return NONE;
  switch (change.put) {
    case 'session':
    case 'completion':
    case 'run':
      return [change.record.sessionId];
    case 'callback':
      return [change.record.parentSessionId, change.record.childSessionId];
    default:
      return NONE;
  }
}
