// What an operator can do about a callback.
import type { CallbackView } from '../../../client/index.js';
import { useClient } from '../../api/use-api.js';
import { Action } from './action.js';

/** Nothing where the callback is on its way. */
export function Redeliver({ one: { callback_id, status } }: { readonly one: CallbackView }) {
  const { callbacks } = useClient();
  if (status === 'held' || status === 'queued') return null;
  return (
    <Action
      name="Redeliver"
      right="orchestrate"
      withReason
      effect="The callback is sent to its parent again. A parent that was stopped is resumed."
      run={(reason) => callbacks.redeliver(callback_id, { reason })}
    />
  );
}
