// One run: where it stands, its times, what its agent was told and what it consumed.
import { useQuery } from '@tanstack/react-query';
import { RUN_STATUSES, run, type RunStatus } from '../../api/list-queries.js';
import { useClient } from '../../api/use-api.js';
import { Action } from '../../parts/actions/action.js';
import { Ago, Panel, Status, Took } from '../../parts/basics.js';
import { Facts, Json, Text } from '../../parts/facts.js';
import { SessionLink } from '../../parts/text/links.js';
import { Heading } from '../../parts/heading.js';
import { UnreadView } from '../../parts/unread-view.js';

/** Before one of these, a run can be stopped. */
const AT_WORK: readonly RunStatus[] = RUN_STATUSES.slice(0, RUN_STATUSES.indexOf('stopping'));

export default function OneRunView({ id }: { readonly id: string }) {
  const client = useClient();
  const read = useQuery(run(client, id));
  if (!read.isSuccess) return <UnreadView read={read} name={id} kind="run" />;
  const one = read.data;
  return (
    <>
      <Heading name={one.session_name} kind="run" />
      <Panel
        title="Run"
        aside={
          AT_WORK.includes(one.status) && (
            <Action
              name="Stop"
              right="orchestrate"
              withReason
              effect="The run is ended. What its session has written stays."
              run={(reason) => client.runs.stop(id, { reason })}
            />
          )
        }
      >
        <Facts
          of={{
            Status: <Status value={one.status} />,
            Error: one.error,
            Cause: one.cause?.replaceAll('_', ' '),
            Session: <SessionLink session={one.session_id} name={one.session_name} />,
            Purpose: one.purpose.replaceAll('_', ' '),
            Type: one.type.replaceAll('_', ' '),
            Attempt: one.attempt,
            Runner: one.runner_id === null ? 'none yet' : <code>{one.runner_id}</code>,
            Created: <Ago at={one.created_at} />,
            Waited: <Took from={one.created_at} to={one.started_at ?? one.completed_at} />,
            Took: one.started_at === null ? null : <Took from={one.started_at} to={one.completed_at} />,
            Run: <code>{one.run_id}</code>,
          }}
        />
      </Panel>
      <Panel title="Prompt">
        <Text label="Text of the prompt" tall>
          {one.prompt}
        </Text>
      </Panel>
      {one.usage !== undefined && one.usage !== null && (
        <Panel title="Usage">
          <Json label="Numbers of the usage" value={one.usage} />
        </Panel>
      )}
      {Object.keys(one.metadata).length > 0 && (
        <Panel title="Metadata">
          <Json label="Members of the metadata" value={one.metadata} />
        </Panel>
      )}
    </>
  );
}
