// Stops a session that is at work.
import type { SessionView } from '../../../client/index.js';
import { useClient } from '../../api/use-api.js';
import { Action } from './action.js';

interface StopSessionProps {
  readonly session: Pick<SessionView, 'session_id' | 'status'>;
}

/** Nothing where it is not at work. */
export function StopSession({ session: { session_id, status } }: StopSessionProps) {
  const { sessions } = useClient();
  if (status !== 'running' && status !== 'pending') return null;
  return (
    <Action
      name="Stop"
      right="orchestrate"
      withReason
      effect="Its run is ended, and its result counts as skipped. What the session has written stays."
      run={(reason) => sessions.stop(session_id, { reason })}
    />
  );
}
