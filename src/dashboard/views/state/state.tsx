// One state: its document, live or at an earlier version, what just changed, and its history.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import type { CompletionListed, StateEnvelope } from '../../../client/index.js';
import { state, treeCompletions } from '../../api/queries.js';
import { useApi, useClient, type StateChange } from '../../api/use-api.js';
import { Ago, Copy, Failed, Loading } from '../../parts/basics.js';
import { NamesProvider, Writer } from '../../parts/text/names.js';
import { marksOn } from './agreements.js';
import { Children } from './children.js';
import { mcpConfigurationOf } from './copied.js';
import { DocumentPanel } from './document-panel.js';
import { StateDifference } from './history/difference.js';
import { isContainer, type Pointer } from './document.js';
import type { Go } from './history/event-item.js';
import { History } from './history/history.js';
import { NoVersion } from './history/no-version.js';
import { Keys } from './keys.js';
import { useScrub } from './history/use-scrub.js';
import type { StateSearch } from './state-search.js';
import { Workflow } from './workflow/workflow.js';
import { Heading } from '../../parts/heading.js';
import { UnreadView } from '../../parts/unread-view.js';

/** Loaded after the document: the engine of the patterns is as large as all else of this view. */
const Schema = lazy(() => import('./schema.js'));

const NOTHING: readonly Pointer[] = [];

interface StateProps {
  readonly id: string;
  readonly search: StateSearch;
}

export default function StateView({ id, search }: StateProps) {
  const { from, find = '', key, place: selected = '' } = search;
  const client = useClient();
  const { changes } = useApi();
  const navigate = useNavigate();
  const present = useQuery(state(client, id));
  const version = present.data?.version;
  const go = (change: StateSearch) =>
    void navigate({
      to: '/ui/states/$id',
      params: { id },
      search: (before) => ({ ...before, ...change }),
      replace: true,
      resetScroll: false,
    });
  const scrub = useScrub(search.at, version, (to) => go({ at: to === version ? undefined : to }));
  const goTo: Go = (change) => {
    if ('at' in change) scrub.cancel();
    go(change);
  };
  const at = scrub.shown;
  const shown = useQuery(state(client, id, at === version ? undefined : at));
  const root = present.data?.root_session_id;
  const completions = useQuery({ ...treeCompletions(client, root ?? ''), enabled: root !== undefined });
  const agreed = useMemo(() => withAgreement(completions.data?.items ?? []), [completions.data]);
  const change = changes.get(id);
  const isPast = at !== undefined && at !== version;
  // What is agreed now says nothing of an earlier version.
  const marks = useMemo(
    () => marksOn(shown.data?.current_data ?? {}, isPast ? [] : agreed),
    [shown.data, agreed, isPast],
  );
  const lit = useMemo(() => (change === undefined || isPast ? NOTHING : change.locations), [change, isPast]);
  const names = useMemo(
    () => ({
      root: root ?? '',
      byId: new Map([
        [root ?? '', present.data?.root_session_name ?? ''],
        ...(completions.data?.items ?? []).map((one) => [one.session_id, one.session_name] as const),
      ]),
    }),
    [root, present.data?.root_session_name, completions.data],
  );
  const leavePast = () => goTo({ at: undefined, from: undefined });
  if (!present.isSuccess) return <UnreadView read={present} name={id} kind="state" />;
  const { root_session_id, root_session_name, current_data } = present.data;
  if (shown.isError)
    return (
      <>
        <Heading name={root_session_name} kind={`version ${String(at)}`} />
        <NoVersion
          error={shown.error}
          retry={() => void shown.refetch()}
          show={(other) => goTo({ at: other })}
          without="Back to the present"
          leave={leavePast}
        />
      </>
    );
  if (version === undefined || !shown.isSuccess)
    return <UnreadView read={shown} name={root_session_name} kind="state" />;
  return (
    <NamesProvider of={names}>
      <Heading name={root_session_name} kind={`version ${String(version)}`} />
      <StateFacts of={present.data} change={change} />
      <div className="columns">
        <DocumentPanel
          id={id}
          document={shown.data.current_data}
          past={isPast ? at : undefined}
          leavePast={leavePast}
          find={find}
          lit={lit}
          marks={marks}
          selected={selected}
          go={go}
        />
        <div>
          <Suspense fallback={<Loading what="the schema" />}>
            <Schema name={shown.data.schema_name} version={shown.data.schema_version} location={selected} />
          </Suspense>
          <History
            id={id}
            version={version}
            at={scrub.at ?? version}
            from={from}
            of={key}
            go={goTo}
            scrub={scrub.move}
          />
        </div>
      </div>
      {from !== undefined && <StateDifference id={id} from={from} to={at ?? version} go={goTo} />}
      {completions.isError && <Failed error={completions.error} retry={() => void completions.refetch()} />}
      <Children root={root_session_id} of={agreed} more={completions.data?.next_cursor != null} />
      {isContainer(current_data['orchestrator_workflow']) && <Workflow id={id} />}
      <Keys root={root_session_id} document={current_data} find={find} selected={key} />
    </NamesProvider>
  );
}

function withAgreement(completions: readonly CompletionListed[]): readonly CompletionListed[] {
  return completions.filter(({ contract, write_scope }) => contract !== null || write_scope !== null);
}

interface StateFactsProps {
  readonly of: StateEnvelope;
  /** The last write that this page saw arrive. */
  readonly change: StateChange | undefined;
}

/** The line below the name: what belongs to the state, and its last write. */
function StateFacts({ of, change }: StateFactsProps) {
  const { token } = useApi();
  return (
    <p className="row facts">
      <span>
        Schema{' '}
        <Link
          to="/ui/schemas/$name"
          params={{ name: of.schema_name }}
          search={{ version: of.schema_version }}
        >
          {of.schema_name} v{of.schema_version}
        </Link>
      </span>
      <Link to="/ui/trees/$id" params={{ id: of.root_session_id }} search={{}}>
        Tree of sessions
      </Link>
      <code>{of.state_id}</code>
      <Copy text={mcpConfigurationOf(of.root_session_name, token !== null)}>Copy MCP configuration</Copy>
      {change !== undefined && (
        <span className="lit-note" role="status">
          Version {change.version} by <Writer session={change.updated_by_session} token={change.token_name} />
          , <Ago at={change.timestamp} />
        </span>
      )}
    </p>
  );
}
