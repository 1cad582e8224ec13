// What the lists say of a completion.
import type { CompletionListed, CompletionView } from '../../../client/index.js';

/** Why nothing has been recorded yet. */
export function whyItWaits(one: CompletionView): string {
  const last = one.attempts.at(-1);
  if (last?.outcome === 'open') {
    return last.run_id === null
      ? 'Its agent has been asked to record its result.'
      : 'A run is recording its result.';
  }
  const what =
    last === undefined
      ? 'The first attempt is about to start.'
      : `The last attempt ended: ${last.outcome.replaceAll('_', ' ')}.`;
  return one.reason === null ? what : `${what} ${one.reason}`;
}

/** Why there is no status. */
export function withoutStatus({ session_id, root_session_id, released_at }: CompletionListed): string {
  if (session_id === root_session_id) return 'a root owes none';
  return released_at === null ? 'work has not ended' : 'not asked for';
}
