// The archives of a workflow record: ended invocations that no longer stand in the document.
import { useQuery } from '@tanstack/react-query';
import type { WorkflowView } from '../../../../client/index.js';
import { archive } from '../../../api/queries.js';
import { useClient } from '../../../api/use-api.js';
import { Ago, Status, Unread } from '../../../parts/basics.js';
import { Reveal } from '../../../parts/facts.js';
import { Entries, objectOf, textOf, timeOf } from './record-entries.js';

interface ArchivesProps {
  readonly stateId: string;
  readonly of: WorkflowView['invocations']['archives'];
}

export function Archives({ stateId, of }: ArchivesProps) {
  return (
    <>
      <h3>Archives</h3>
      {of.map(({ archive_id: id, count, compacted_at: at }) => (
        <div key={id}>
          <p className="faint">
            {count} invocations, moved <Ago at={at} />, <code>{id}</code>
          </p>
          <Reveal name="Show them">
            <Archive stateId={stateId} id={id} />
          </Reveal>
        </div>
      ))}
    </>
  );
}

function Archive({ stateId, id }: { readonly stateId: string; readonly id: string }) {
  const read = useQuery(archive(useClient(), stateId, id));
  if (!read.isSuccess) return <Unread read={read} what="the archive" />;
  return (
    <Entries
      title={`Invocations of ${id}`}
      none="It is empty."
      of={read.data.invocations}
      rest={
        <>
          in the archive:{' '}
          <code>
            countersign workflow archive {stateId} --id {id}
          </code>
        </>
      }
      columns={[
        ['Agent', (one) => textOf(one, 'agent')],
        ['Since', (one) => timeOf(one, 'started_at')],
        ['Status', (one) => <Status value={textOf(one, 'status')} />],
        ['Asked', (one) => textOf(objectOf(one, 'input'), 'prompt')],
        ['Summary', (one) => textOf(objectOf(one, 'output'), 'summary')],
      ]}
    />
  );
}
