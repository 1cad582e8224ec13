// One completion: where it stands between work and release, what was agreed, and every attempt.
import { useQuery } from '@tanstack/react-query';
import type { CompletionView as Completion, SessionView } from '../../../client/index.js';
import { callbackOf, completion, session as sessionQuery } from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Ago, Countdown, Empty, Panel, Status } from '../../parts/basics.js';
import { Redeliver } from '../../parts/actions/callback-actions.js';
import { CompletionActions } from '../../parts/actions/completion-actions.js';
import { StopSession } from '../../parts/actions/stop-session.js';
import { Facts, Json } from '../../parts/facts.js';
import { SessionLink, StateLink } from '../../parts/text/links.js';
import { Violations } from '../../parts/violations.js';
import { Attempt } from './attempt.js';
import { Heading } from '../../parts/heading.js';
import { UnreadView } from '../../parts/unread-view.js';

export default function CompletionView({ session }: { readonly session: string }) {
  const client = useClient();
  const of = useQuery(sessionQuery(client, session));
  const read = useQuery(completion(client, session));
  const unread = of.isSuccess ? read : of;
  if (!of.isSuccess || !read.isSuccess) return <UnreadView read={unread} name={session} kind="completion" />;
  return <Shown session={of.data} one={read.data} />;
}

function Shown({ session, one }: { readonly session: SessionView; readonly one: Completion }) {
  return (
    <>
      <Heading name={session.session_name} kind="completion" />
      <p className="row facts">
        <SessionLink root={session.root_session_id} session={session.session_id} name="Tree of sessions" />
        {session.workflow_state_id !== null && (
          <StateLink id={session.workflow_state_id}>State of this tree</StateLink>
        )}
        <code>{session.session_id}</code>
      </p>
      {session.parent_session_id === null ? (
        <Empty>A root has no completion: nobody waits for its result.</Empty>
      ) : (
        <Phases session={session} one={one} />
      )}
    </>
  );
}

function Phases({ session, one }: { readonly session: SessionView; readonly one: Completion }) {
  const callback = useQuery(callbackOf(useClient(), session.session_id)).data ?? null;
  return (
    <>
      <Panel
        title="Where it stands"
        aside={
          <span className="row">
            <CompletionActions of={one} />
            <StopSession session={session} />
            {callback !== null && <Redeliver one={callback} />}
          </span>
        }
      >
        <Steps session={session} one={one} />
        <Facts
          of={{
            Reason: one.reason,
            'Next step': one.state_update_status === 'pending' ? <Countdown to={one.due_at} /> : null,
            Attempt: `${String(one.attempt)} of ${String(one.max_attempts)}`,
            Generation: one.generation,
            Mode: one.mode.replaceAll('_', ' '),
          }}
        />
      </Panel>
      {(one.contract !== null || one.write_scope !== null) && (
        <Panel title="What was agreed">
          <Facts
            of={{
              'Contract at': one.contract && <code>{one.contract.pointer || '(whole document)'}</code>,
              'Writes only': one.write_scope?.map((pointer) => <code key={pointer}>{pointer} </code>),
            }}
          />
          {one.contract !== null && <Json label="Schema of the contract" value={one.contract.schema} />}
        </Panel>
      )}
      {one.contract_broken !== null && (
        <Panel title="The contract was broken again">
          <p>
            Version {one.contract_broken.version}, written by{' '}
            <bdi>{one.contract_broken.by ?? 'the operator'}</bdi>, no longer fits the contract.
          </p>
          <Violations of={one.contract_broken.errors} />
        </Panel>
      )}
      {one.attempts.length === 0 && (
        <Panel title="Attempts">
          <Empty>
            {one.released_at === null
              ? 'No attempt has begun: the first one begins when the work has ended and nothing is recorded.'
              : 'No attempt was needed.'}
          </Empty>
        </Panel>
      )}
      {one.attempts.toReversed().map((attempt) => (
        <Attempt
          key={`${String(attempt.attempt)} ${attempt.started_at}`}
          one={attempt}
          request={one.request?.attempt === attempt.attempt ? one.request.prompt : undefined}
        />
      ))}
    </>
  );
}

const RECORDED: Readonly<Record<string, string>> = { completed: 'done', skipped: 'done', failed: 'failed' };

/** The two phases: the work, then the result in the state. After them, the parent is told. */
function Steps({ session, one }: { readonly session: SessionView; readonly one: Completion }) {
  const status = one.state_update_status;
  const released = one.released_at !== null;
  const worked = status !== null || released;
  return (
    <ol className="steps" aria-label="Phases">
      <li className={worked ? 'done' : ''} aria-current={worked ? undefined : 'step'}>
        <strong>Work</strong>
        <Status value={session.status} />
      </li>
      <li
        className={RECORDED[status ?? ''] ?? (released ? 'done' : '')}
        aria-current={status === 'pending' ? 'step' : undefined}
      >
        <strong>Result recorded</strong>
        <Status value={status ?? 'none'} label={status ?? (released ? 'not asked for' : 'not yet')} />
      </li>
      <li
        className={released ? 'done' : ''}
        aria-current={worked && status !== 'pending' && !released ? 'step' : undefined}
      >
        <strong>Released to its parent</strong>
        {one.released_at === null ? <span className="faint">not yet</span> : <Ago at={one.released_at} />}
      </li>
    </ol>
  );
}
