// A tree of sessions as a nested list: the same as the graph, for reading in order and for narrow screens.
import { Link } from '@tanstack/react-router';
import type { SessionTree } from '../../../client/index.js';
import { Status } from '../../parts/basics.js';
import { IN_PLACE } from '../../parts/text/links.js';

interface SessionItemProps {
  readonly session: SessionTree;
  readonly selected: string;
}

export function SessionItem({ session, selected }: SessionItemProps) {
  const { session_id, session_name, status, state_update_status, children } = session;
  return (
    <li>
      <Link
        to="."
        search={(before) => ({ ...before, session: session_id })}
        aria-current={session_id === selected ? 'true' : undefined}
        {...IN_PLACE}
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
            <SessionItem key={child.session_id} session={child} selected={selected} />
          ))}
        </ul>
      )}
    </li>
  );
}
