// The nodes of the graph: a session with its status and phase, and a group of sessions that are alike.
import { Link } from '@tanstack/react-router';
import { Handle, Position, type Node, type NodeProps } from '@xyflow/react';
import { memo } from 'react';
import type { SessionTree } from '../../../client/index.js';
import { Status } from '../../parts/basics.js';
import { IN_PLACE } from '../../parts/text/links.js';
import type { Group } from './layout.js';

// Type aliases: the library wants an index signature, which interfaces lack.
export type SessionNode = Node<
  { readonly session: SessionTree; readonly selected: boolean; readonly attempt: string | null },
  'session'
>;
export type GroupNode = Node<{ readonly group: Group }, 'group'>;
export type GraphNode = SessionNode | GroupNode;

/** The ends of the edges. They cannot be dragged. */
function Ends() {
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  );
}

export const SessionCard = memo(
  function SessionCard({ data: { session, selected, attempt } }: NodeProps<SessionNode>) {
    return (
      <>
        <Link
          to="."
          search={(before) => ({ ...before, session: session.session_id })}
          className="card"
          aria-current={selected ? 'true' : undefined}
          {...IN_PLACE}
        >
          <bdi className="name">{session.session_name}</bdi>
          <span className="row">
            <Status value={session.status} />
            {session.state_update_status !== null && (
              <Status value={session.state_update_status} label={`result ${session.state_update_status}`} />
            )}
            {attempt !== null && <span className="faint">{attempt}</span>}
          </span>
        </Link>
        <Ends />
      </>
    );
  },
  // The positions of the others do not change what a card shows.
  (before, now) =>
    before.data.session === now.data.session &&
    before.data.selected === now.data.selected &&
    before.data.attempt === now.data.attempt,
);

export const GroupCard = memo(function GroupCard({ data: { group } }: NodeProps<GroupNode>) {
  const [first] = group.sessions;
  return (
    <>
      <Link
        to="."
        search={(before) => ({ ...before, open: [...(before.open ?? []), group.id] })}
        className="card group"
        {...IN_PLACE}
      >
        <span className="name">{group.sessions.length} sessions, show them</span>
        {first !== undefined && (
          <span className="row">
            <Status value={first.status} />
            {first.state_update_status !== null && (
              <Status value={first.state_update_status} label={`result ${first.state_update_status}`} />
            )}
          </span>
        )}
      </Link>
      <Ends />
    </>
  );
});
