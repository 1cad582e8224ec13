// One session of a tree: its completion, runs, output, writes, and the state that it shares.
import { useQuery } from '@tanstack/react-query';
import type { CompletionView, SessionTree } from '../../../client/index.js';
import * as ask from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Ago, Countdown, Empty, Panel, Status, Table, Unread } from '../../parts/basics.js';
import { CompletionActions } from '../../parts/actions/completion-actions.js';
import { whyItWaits } from '../../parts/text/completion-words.js';
import { Facts, Reveal } from '../../parts/facts.js';
import { CompletionLink } from '../../parts/text/links.js';
import { Names } from '../../parts/text/texts.js';
import { StopSession } from '../../parts/actions/stop-session.js';
import { SessionOutput, SessionRuns } from './session-runs.js';
import { SessionWrites, TreeState } from './session-writes.js';

export function Details({ session }: { readonly session: SessionTree }) {
  const { session_id: id, workflow_state_id: stateId, root_session_id: root } = session;
  return (
    <Panel title={session.session_name} aside={<StopSession session={session} />}>
      <Facts
        of={{
          Status: (
            <>
              <Status value={session.status} />, changed <Ago at={session.updated_at} />
            </>
          ),
          Session: <code>{id}</code>,
          Agent: session.agent_name ?? session.executor_type ?? (session.external ? 'external' : 'none yet'),
          Folder: session.project_dir,
          Generation: session.generation,
        }}
      />
      <h3>
        {session.parent_session_id === null ? (
          'Completion'
        ) : (
          <CompletionLink session={id} name="Completion" />
        )}
      </h3>
      <Completion session={session} />
      <Reveal name="Runs and prompts">
        <SessionRuns session={id} />
      </Reveal>
      <Reveal name="Output and result">
        <SessionOutput session={id} />
      </Reveal>
      {stateId !== null && (
        <>
          <Reveal name="Writes of this session">
            <SessionWrites stateId={stateId} session={id} />
          </Reveal>
          <Reveal name="State of the tree">
            <TreeState stateId={stateId} root={root} />
          </Reveal>
        </>
      )}
    </Panel>
  );
}

function Completion({ session }: { readonly session: SessionTree }) {
  const read = useQuery({
    ...ask.completion(useClient(), session.session_id),
    enabled: session.parent_session_id !== null,
  });
  if (session.parent_session_id === null)
    return <Empty>A root has no completion: nobody waits for its result.</Empty>;
  if (!read.isSuccess) return <Unread read={read} what="the completion" />;
  return <Standing of={read.data} />;
}

function Standing({ of }: { readonly of: CompletionView }) {
  return (
    <>
      <p className="row">
        <Status
          value={of.state_update_status ?? 'none'}
          label={of.state_update_status ?? 'work has not ended'}
        />
        {of.state_update_status === 'pending' && (
          <span>
            Attempt {of.attempt} of {of.max_attempts}, next step <Countdown to={of.due_at} />
          </span>
        )}
        <CompletionActions of={of} />
      </p>
      {of.state_update_status === 'pending' ? <p>{whyItWaits(of)}</p> : of.reason && <p>{of.reason}</p>}
      {of.contract !== null && (
        <p>
          Contract at <code>{of.contract.pointer === '' ? '(whole document)' : of.contract.pointer}</code>
        </p>
      )}
      {of.write_scope !== null && (
        <p>
          Writes only:{' '}
          {of.write_scope.map((one) => (
            <code key={one}>{one} </code>
          ))}
        </p>
      )}
      {of.attempts.length > 0 && (
        <Table
          label="Attempts"
          rows={of.attempts}
          keyOf={(one) => `${String(one.attempt)} ${one.started_at}`}
          columns={[
            ['Attempt', (one) => one.attempt],
            ['Outcome', (one) => one.outcome.replaceAll('_', ' ')],
            ['Started', (one) => <Ago at={one.started_at} />],
            [
              'Errors',
              ({ errors }) => (
                <Names of={errors.map(({ pointer, message }) => `${pointer}: ${message}`)} by="; " />
              ),
              'prose',
            ],
          ]}
        />
      )}
    </>
  );
}
