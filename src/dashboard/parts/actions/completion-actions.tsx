// What an operator can do about a completion that is pending or has failed.
import type { CompletionView } from '../../../client/index.js';
import { useClient } from '../../api/use-api.js';
import { Action } from './action.js';

export function CompletionActions({
  of: { session_id, state_update_status },
}: {
  readonly of: CompletionView;
}) {
  const { sessions } = useClient();
  const body = (reason: string) => ({ reason });
  return (
    <span className="row">
      {(state_update_status === 'pending' || state_update_status === 'failed') && (
        <Action
          name="Retry"
          right="operate"
          withReason
          effect="The child is asked to record its result again, with a fresh count of attempts."
          run={(reason) => sessions.retry(session_id, body(reason))}
        />
      )}
      {state_update_status === 'pending' && (
        <Action
          name="Skip"
          right="operate"
          withReason
          effect="The parent is told now, without the child's result in the state."
          run={(reason) => sessions.skip(session_id, body(reason))}
        />
      )}
    </span>
  );
}
