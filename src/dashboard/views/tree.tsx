// A tree of sessions as a nested list, with the completion of the session that is selected.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { SessionTree } from '../../client/index.js';
import * as ask from '../api/queries.js';
import { useClient } from '../api/use-api.js';
import { Action } from '../parts/action.js';
import { Ago, Countdown, Empty, Failed, Loading, Panel, Status, Table } from '../parts/basics.js';
import { CompletionActions } from '../parts/completion-actions.js';
import { CompletionLink, SessionLink } from '../parts/links.js';

/** The part of the address after the `?`: the session whose details are shown. */
export interface TreeSearch {
  readonly session?: string | undefined;
}

export function TreeView({ id, selected }: { readonly id: string; readonly selected?: string | undefined }) {
  const read = useQuery(ask.tree(useClient(), id));
  if (read.isPending) return <Loading what="the tree" />;
  if (read.isError) return <Failed error={read.error} retry={() => void read.refetch()} />;
  const root = read.data;
  const session = selected === undefined ? root : (find(root, selected) ?? root);
  return (
    <>
      <h1>
        <bdi>{root.session_name}</bdi> <span className="faint">tree of sessions</span>
      </h1>
      <p className="row facts">
        {root.workflow_state_id === null ? (
          <span className="faint">This tree has no state.</span>
        ) : (
          <Link to="/ui/states/$id" params={{ id: root.workflow_state_id }} search={{}}>
            State of this tree
          </Link>
        )}
        {root.root_session_id !== root.session_id && (
          <SessionLink root={root.root_session_id} session={session.session_id} name="Whole tree" />
        )}
        <Link to="/ui/runs" search={{ root: root.root_session_id }}>
          Runs of this tree
        </Link>
        <code>{root.session_id}</code>
      </p>
      <div className="columns">
        <Panel title="Sessions">
          <ul className="sessions">
            <Node session={root} selected={session.session_id} root={id} />
          </ul>
        </Panel>
        <Details key={session.session_id} session={session} />
      </div>
    </>
  );
}

function find(session: SessionTree, id: string): SessionTree | undefined {
  if (session.session_id === id) return session;
  for (const child of session.children) {
    const found = find(child, id);
    if (found !== undefined) return found;
  }
  return undefined;
}

function Node({
  session,
  selected,
  root,
}: {
  readonly session: SessionTree;
  readonly selected: string;
  readonly root: string;
}) {
  const { session_id, session_name, status, state_update_status, children } = session;
  return (
    <li>
      <Link
        to="/ui/trees/$id"
        params={{ id: root }}
        search={{ session: session_id }}
        aria-current={session_id === selected ? 'true' : undefined}
        activeProps={{}}
      >
        <bdi>{session_name}</bdi>
        <Status value={status} />
        {state_update_status !== null && (
          <Status value={state_update_status} label={`result ${state_update_status}`} />
        )}
      </Link>
      {children.length > 0 && (
        <ul>
          {children.map((child) => (
            <Node key={child.session_id} session={child} selected={selected} root={root} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Details({ session }: { readonly session: SessionTree }) {
  const client = useClient();
  const completion = useQuery(ask.completion(client, session.session_id));
  const isAtWork = session.status === 'running' || session.status === 'pending';
  return (
    <Panel
      title={session.session_name}
      aside={
        isAtWork && (
          <Action
            name="Stop"
            effect="Its run is ended, and its result counts as skipped. What the session has written stays."
            run={() => client.sessions.stop(session.session_id)}
          />
        )
      }
    >
      <dl className="details">
        <dt>Status</dt>
        <dd>
          <Status value={session.status} />, changed <Ago at={session.updated_at} />
        </dd>
        <dt>Session</dt>
        <dd>
          <code>{session.session_id}</code>
        </dd>
        <dt>Agent</dt>
        <dd>{session.agent_name ?? session.executor_type ?? (session.external ? 'external' : 'none yet')}</dd>
        <dt>Generation</dt>
        <dd>{session.generation}</dd>
      </dl>
      <h3>
        {session.parent_session_id === null ? (
          'Completion'
        ) : (
          <CompletionLink session={session.session_id} name="Completion" />
        )}
      </h3>
      {session.parent_session_id === null ? (
        <Empty>A root has no completion: nobody waits for its result.</Empty>
      ) : completion.isError ? (
        <Failed error={completion.error} retry={() => void completion.refetch()} />
      ) : completion.data === undefined ? (
        <Loading what="the completion" />
      ) : (
        <>
          <p className="row">
            <Status
              value={completion.data.state_update_status ?? 'none'}
              label={completion.data.state_update_status ?? 'work has not ended'}
            />
            {completion.data.state_update_status === 'pending' && (
              <span>
                Attempt {completion.data.attempt} of {completion.data.max_attempts}, next step{' '}
                <Countdown to={completion.data.due_at} />
              </span>
            )}
            <CompletionActions of={completion.data} />
          </p>
          {completion.data.reason !== null && <p>{completion.data.reason}</p>}
          {completion.data.contract !== null && (
            <p>
              Contract at{' '}
              <code>
                {completion.data.contract.pointer === ''
                  ? '(whole document)'
                  : completion.data.contract.pointer}
              </code>
            </p>
          )}
          {completion.data.write_scope !== null && (
            <p>
              Writes only:{' '}
              {completion.data.write_scope.map((one) => (
                <code key={one}>{one} </code>
              ))}
            </p>
          )}
          {completion.data.attempts.length > 0 && (
            <Table label="Attempts" head={['Attempt', 'Outcome', 'Started', 'Errors']}>
              {completion.data.attempts.map((one) => (
                <tr key={`${String(one.attempt)} ${one.started_at}`}>
                  <td>{one.attempt}</td>
                  <td>{one.outcome.replaceAll('_', ' ')}</td>
                  <td>
                    <Ago at={one.started_at} />
                  </td>
                  <td className="prose">
                    {one.errors.map(({ pointer, message }) => `${pointer}: ${message}`).join('; ')}
                  </td>
                </tr>
              ))}
            </Table>
          )}
        </>
      )}
    </Panel>
  );
}
