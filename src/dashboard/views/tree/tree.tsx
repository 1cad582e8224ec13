// A tree of sessions, as a graph or a list, with the session that is selected.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { SessionTree } from '../../../client/index.js';
import * as ask from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Panel } from '../../parts/basics.js';
import { SessionLink, StateLink } from '../../parts/text/links.js';
import { NARROW, useMedia } from '../../parts/use-media.js';
import { Details } from './details.js';
import { Graph } from './graph.js';
import { SessionItem } from './list.js';
import { Heading } from '../../parts/heading.js';
import { UnreadView } from '../../parts/unread-view.js';

type Form = 'graph' | 'list';

/** The part of the address after the `?`. */
export interface TreeSearch {
  /** The session whose details are shown. */
  readonly session?: string | undefined;
  /** A graph by default, and a list on narrow screens. */
  readonly as?: Form | undefined;
  /** The groups of the graph whose sessions stand for themselves. */
  readonly open?: readonly string[] | undefined;
}

const NONE: readonly string[] = [];

export default function TreeView({ id, search }: { readonly id: string; readonly search: TreeSearch }) {
  const client = useClient();
  const isNarrow = useMedia(NARROW);
  const read = useQuery(ask.tree(client, id));
  const root = read.data?.root_session_id;
  const waiting = useQuery({ ...ask.openCompletions(client, root ?? ''), enabled: root !== undefined });
  if (!read.isSuccess) return <UnreadView read={read} name={id} kind="tree of sessions" />;
  const { data: tree } = read;
  const { session: wanted, as = isNarrow ? 'list' : 'graph', open = NONE } = search;
  const session = wanted === undefined ? tree : (find(tree, wanted) ?? tree);
  return (
    <>
      <Heading name={tree.session_name} kind="tree of sessions" />
      <p className="row facts">
        {tree.workflow_state_id === null ? (
          <span className="faint">This tree has no state.</span>
        ) : (
          <StateLink id={tree.workflow_state_id}>State of this tree</StateLink>
        )}
        {tree.root_session_id !== tree.session_id && (
          <SessionLink root={tree.root_session_id} session={session.session_id} name="Whole tree" />
        )}
        <Link to="/ui/runs" search={{ root: tree.root_session_id }}>
          Runs of this tree
        </Link>
        <Link to="/ui/completions" search={{ root: tree.root_session_id }}>
          Completions of this tree
        </Link>
        <code>{tree.session_id}</code>
      </p>
      <div className="columns">
        <Panel title="Sessions" aside={<Forms as={as} />}>
          {as === 'list' ? (
            <ul className="sessions">
              <SessionItem session={tree} selected={session.session_id} />
            </ul>
          ) : (
            <Graph root={tree} selected={session.session_id} open={open} completions={waiting.data ?? []} />
          )}
        </Panel>
        <Details key={session.session_id} session={session} />
      </div>
    </>
  );
}

function Forms({ as }: { readonly as: Form }) {
  return (
    <nav className="tabs inline" aria-label="Show as">
      {(['graph', 'list'] as const).map((one) => (
        <Link
          key={one}
          to="."
          search={(before) => ({ ...before, as: one })}
          aria-current={one === as ? 'true' : undefined}
          activeProps={{}}
          activeOptions={{ exact: true }}
          replace
        >
          {one}
        </Link>
      ))}
    </nav>
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
