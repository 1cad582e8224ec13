// A button that changes something, once it is confirmed.
import { useQuery } from '@tanstack/react-query';
import { whoAmI } from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { useConfirm, type ActionToConfirm } from './confirmation.js';

interface ActionProps extends ActionToConfirm {
  /** What it takes. Who does not have it does not see the button; the service checks it too. */
  readonly right: 'orchestrate' | 'operate';
}

export function Action({ right, ...action }: ActionProps) {
  const caller = useQuery(whoAmI(useClient()));
  const confirm = useConfirm();
  if (caller.data?.rights.includes(right) !== true) return null;
  return (
    <button type="button" className="quiet" onClick={() => confirm(action)}>
      {action.name}
    </button>
  );
}
