// The workflow record of a state: where its orchestrator stands, and what is still owed.
import { useQuery } from '@tanstack/react-query';
import type { VerdictSummary } from '../../../../client/index.js';
import { CountersignError } from '../../../../client/index.js';
import { workflow } from '../../../api/queries.js';
import { useClient } from '../../../api/use-api.js';
import { Failed, Loading, Panel, Status } from '../../../parts/basics.js';
import { Facts } from '../../../parts/facts.js';
import { Names } from '../../../parts/text/texts.js';
import { Archives } from './archives.js';
import { Entries, namesOf, objectOf, textOf, timeOf } from './record-entries.js';

export function Workflow({ id }: { readonly id: string }) {
  const read = useQuery(workflow(useClient(), id));
  if (read.isError) {
    // A member of that name in a document without a record.
    if (read.error instanceof CountersignError && read.error.code === 'workflow_required') return null;
    return <Failed error={read.error} retry={() => void read.refetch()} />;
  }
  if (read.data === undefined) return <Loading what="the workflow record" />;
  const { mode, next_modes: next, phase, active_agent, active_feature, active_task } = read.data;
  const { in_progress, last_ended, archived, archives } = read.data.invocations;
  return (
    <Panel title="Workflow">
      <Facts
        of={{
          Phase: phase,
          Mode:
            next === null || next.length === 0 ? (
              mode
            ) : (
              <>
                <bdi>{mode}</bdi> (next: <Names of={next} />)
              </>
            ),
          'Active agent': active_agent === null ? 'none' : <bdi>{active_agent}</bdi>,
          Feature: active_feature,
          Task: active_task,
          'Start protocol': read.data.protocol_start_complete ? 'done' : 'not done',
          'End protocol': read.data.protocol_end_complete ? 'done' : 'not done',
          'Archived invocations': archived === 0 ? null : archived,
        }}
      />
      <Entries
        title="At work"
        none="Nobody is at work."
        of={in_progress}
        columns={[
          ['Agent', (one) => textOf(one, 'agent')],
          ['Since', (one) => timeOf(one, 'started_at')],
          ['Asked', (one) => textOf(objectOf(one, 'input'), 'prompt')],
        ]}
      />
      <Entries
        title="Ended last"
        none="Nothing has ended yet."
        of={last_ended}
        columns={[
          ['Agent', (one) => textOf(one, 'agent')],
          ['Status', (one) => <Status value={textOf(one, 'status')} />],
          ['Summary', (one) => textOf(objectOf(one, 'output'), 'summary')],
        ]}
      />
      <Entries
        title="Pending hand-offs"
        none="No hand-off is pending."
        of={read.data.pending_handoffs}
        columns={[
          ['From', (one) => textOf(one, 'from_agent')],
          ['To', (one) => textOf(one, 'to_agent')],
          ['Reason', (one) => textOf(one, 'reason')],
          ['Context', (one) => textOf(one, 'context')],
        ]}
      />
      <Entries
        title="Open decisions"
        none="No decision is open."
        of={read.data.open_decisions}
        columns={[
          ['Decision', (one) => textOf(one, 'description')],
          ['By', (one) => textOf(one, 'decided_by')],
          ['Approved by', (one) => namesOf(one, 'approved_by')],
          ['Rejected by', (one) => namesOf(one, 'rejected_by')],
        ]}
      />
      <Verdicts of={read.data.verdicts} />
      {archives.length > 0 && <Archives stateId={id} of={archives} />}
    </Panel>
  );
}

function Verdicts({ of: { clear, approved_by, blocked_by } }: { readonly of: VerdictSummary }) {
  if (blocked_by.length > 0) {
    return (
      <Entries
        title="Verdicts: blocked"
        none=""
        of={blocked_by}
        columns={[
          ['Agent', (one) => one.agent],
          ['Decision', (one) => <Status value={one.decision} />],
          ['Reasoning', (one) => one.reasoning],
          ['Conditions', (one) => <Names of={one.conditions} by="; " />],
          ['Blockers', (one) => <Names of={one.blockers} by="; " />],
        ]}
      />
    );
  }
  return (
    <>
      <h3>Verdicts</h3>
      {clear ? (
        <p>
          <Status value="clear" /> <Names of={approved_by} />
        </p>
      ) : (
        <p className="faint">No verdict has been given.</p>
      )}
    </>
  );
}
