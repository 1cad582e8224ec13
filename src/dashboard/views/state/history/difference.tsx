// Two versions of the document of a state.
import { useQuery } from '@tanstack/react-query';
import { state } from '../../../api/queries.js';
import { useClient } from '../../../api/use-api.js';
import { Panel } from '../../../parts/basics.js';
import { Difference } from '../../../parts/difference.js';
import type { Go } from './event-item.js';
import { NoVersion } from './no-version.js';

export function StateDifference({
  id,
  from,
  to,
  go,
}: {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly go: Go;
}) {
  const client = useClient();
  const old = useQuery(state(client, id, from));
  const now = useQuery(state(client, id, to));
  const title = `Version ${String(from)} compared with ${String(to)}`;
  if (old.isError)
    return (
      <Panel title={title}>
        <NoVersion
          error={old.error}
          retry={() => void old.refetch()}
          show={(version) => go({ from: version })}
          without="End comparison"
          leave={() => go({ from: undefined })}
        />
      </Panel>
    );
  return (
    <Difference
      title={title}
      before={old.data?.current_data}
      after={now.data?.current_data}
      error={now.error}
      command={`countersign state diff ${id} --from ${String(from)} --to ${String(to)}`}
    />
  );
}
