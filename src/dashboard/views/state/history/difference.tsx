// Two versions of the document of a state.
import { useQuery } from '@tanstack/react-query';
import { state } from '../../../api/queries.js';
import { useClient } from '../../../api/use-api.js';
import { Difference } from '../../../parts/difference.js';

export function StateDifference({
  id,
  from,
  to,
}: {
  readonly id: string;
  readonly from: number;
  readonly to: number;
}) {
  const client = useClient();
  const old = useQuery(state(client, id, from));
  const now = useQuery(state(client, id, to));
  return (
    <Difference
      title={`Version ${String(from)} compared with ${String(to)}`}
      before={old.data?.current_data}
      after={now.data?.current_data}
      error={old.error ?? now.error}
      command={`countersign state diff ${id}`}
    />
  );
}
