// The workflow record of a state: where its orchestrator stands, and what is still owed.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { JsonObject, JsonValue, VerdictSummary } from '../../../client/index.js';
import { CountersignError } from '../../../client/index.js';
import { workflow } from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Ago, Failed, Loading, Panel, Status, Table } from '../../parts/basics.js';
import { Facts } from '../../parts/facts.js';
import { isContainer, isList } from './document.js';

/** A list shows so many of its first entries; the document holds all. */
const ROWS_MAX = 50;

export function Workflow({ id }: { readonly id: string }) {
  const read = useQuery(workflow(useClient(), id));
  if (read.isError) {
    // A member of that name in a document without a record.
    if (read.error instanceof CountersignError && read.error.code === 'workflow_required') return null;
    return <Failed error={read.error} retry={() => void read.refetch()} />;
  }
  if (read.data === undefined) return <Loading what="the workflow record" />;
  const { mode, next_modes: next, phase, active_agent, active_feature, active_task } = read.data;
  const { in_progress, last_ended, archived } = read.data.invocations;
  return (
    <Panel title="Workflow">
      <Facts
        of={{
          Phase: phase,
          Mode: next === null || next.length === 0 ? mode : `${mode} (next: ${next.join(', ')})`,
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
        head={['Agent', 'Since', 'Asked']}
        of={in_progress}
        cells={(one) => [
          textOf(one, 'agent'),
          timeOf(one, 'started_at'),
          textOf(objectOf(one, 'input'), 'prompt'),
        ]}
      />
      <Entries
        title="Ended last"
        none="Nothing has ended yet."
        head={['Agent', 'Status', 'Summary']}
        of={last_ended}
        cells={(one) => [
          textOf(one, 'agent'),
          <Status key="status" value={textOf(one, 'status')} />,
          textOf(objectOf(one, 'output'), 'summary'),
        ]}
      />
      <Entries
        title="Pending hand-offs"
        none="No hand-off is pending."
        head={['From', 'To', 'Reason', 'Context']}
        of={read.data.pending_handoffs}
        cells={(one) => ['from_agent', 'to_agent', 'reason', 'context'].map((name) => textOf(one, name))}
      />
      <Entries
        title="Open decisions"
        none="No decision is open."
        head={['Decision', 'By', 'Approved by', 'Rejected by']}
        of={read.data.open_decisions}
        cells={(one) => [
          textOf(one, 'description'),
          textOf(one, 'decided_by'),
          namesOf(one, 'approved_by'),
          namesOf(one, 'rejected_by'),
        ]}
      />
      <Verdicts of={read.data.verdicts} />
    </Panel>
  );
}

function Verdicts({ of: { clear, approved_by, blocked_by } }: { readonly of: VerdictSummary }) {
  if (blocked_by.length > 0) {
    return (
      <Entries
        title="Verdicts: blocked"
        none=""
        head={['Agent', 'Decision', 'Reasoning', 'Conditions', 'Blockers']}
        of={blocked_by}
        cells={(one) => [
          one.agent,
          <Status key="decision" value={one.decision} />,
          one.reasoning,
          one.conditions.join('; '),
          one.blockers.join('; '),
        ]}
      />
    );
  }
  return (
    <>
      <h3>Verdicts</h3>
      {clear ? (
        <p>
          <Status value="clear" /> <bdi>{approved_by.join(', ')}</bdi>
        </p>
      ) : (
        <p className="faint">No verdict has been given.</p>
      )}
    </>
  );
}

interface EntriesProps<T> {
  readonly title: string;
  readonly none: string;
  readonly head: readonly string[];
  readonly of: readonly T[];
  readonly cells: (entry: T) => readonly ReactNode[];
}

function Entries<T>({ title, none, head, of, cells }: EntriesProps<T>) {
  return (
    <>
      <h3>{title}</h3>
      {of.length === 0 ? (
        <p className="faint">{none}</p>
      ) : (
        <Table label={title} head={head}>
          {of.slice(0, ROWS_MAX).map((one, row) => (
            <tr key={row}>
              {cells(one).map((cell, column) => (
                <td key={column} className="prose">
                  {typeof cell === 'string' ? <bdi>{cell}</bdi> : cell}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      )}
      {of.length > ROWS_MAX && <p className="faint">{of.length - ROWS_MAX} more in the document.</p>}
    </>
  );
}

function textOf(entry: JsonObject, name: string): string {
  const value = entry[name];
  return typeof value === 'string' ? value : '';
}

function namesOf(entry: JsonObject, name: string): string {
  const value = entry[name];
  const names = isContainer(value) && isList(value) ? value : [];
  return names.filter((one) => typeof one === 'string').join(', ');
}

function objectOf(entry: JsonObject, name: string): JsonObject {
  const value: JsonValue | undefined = entry[name];
  return isContainer(value) && !isList(value) ? value : {};
}

function timeOf(entry: JsonObject, name: string): ReactNode {
  const at = textOf(entry, name);
  return Number.isNaN(Date.parse(at)) ? at : <Ago at={at} />;
}
