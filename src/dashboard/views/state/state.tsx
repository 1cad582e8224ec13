// One state: its document, live or at an earlier version, what just changed, and its history.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { JsonObject } from '../../../client/index.js';
import { state, treeCompletions } from '../../api/queries.js';
import { useApi, useClient } from '../../api/use-api.js';
import { Ago, Copy, Failed, Loading, Panel } from '../../parts/basics.js';
import { NamesProvider, Writer } from '../../parts/text/names.js';
import { marksOn } from './agreements.js';
import { Children } from './children.js';
import { commandOf, curlOf, mcpConfigurationOf } from './copied.js';
import { StateDifference } from './history/difference.js';
import { DocumentTree } from './document-tree.js';
import { isContainer, valueAt, type Pointer } from './document.js';
import type { Go } from './history/event-item.js';
import { History } from './history/history.js';
import { NoVersion } from './history/no-version.js';
import { Keys } from './keys.js';
import { Schema } from './schema.js';
import { useScrub } from './history/use-scrub.js';
import { Workflow } from './workflow/workflow.js';
import { Heading } from '../../parts/heading.js';

/** The part of the address after the `?`. */
export interface StateSearch {
  /** The version to show; the present one by default. */
  readonly at?: number | undefined;
  /** The version to compare with. */
  readonly from?: number | undefined;
  readonly find?: string | undefined;
  /** The top-level member whose history is shown; that of all by default. */
  readonly key?: string | undefined;
  /** The selected place of the document; the whole by default. */
  readonly place?: Pointer | undefined;
}

const NOTHING: readonly Pointer[] = [];

interface StateProps {
  readonly id: string;
  readonly search: StateSearch;
}

export function StateView({ id, search }: StateProps) {
  const { from, find = '', key, place: selected = '' } = search;
  const client = useClient();
  const { changes, token } = useApi();
  const navigate = useNavigate();
  const present = useQuery(state(client, id));
  const version = present.data?.version;
  const go = (change: StateSearch) =>
    void navigate({
      to: '/ui/states/$id',
      params: { id },
      search: { ...search, ...change },
      replace: true,
      resetScroll: false,
    });
  const scrub = useScrub(search.at, (to) => go({ at: to === version ? undefined : to }));
  const goTo: Go = (change) => {
    if ('at' in change) scrub.cancel();
    go(change);
  };
  const at = scrub.wanted;
  const shown = useQuery(state(client, id, at === version ? undefined : at));
  const root = present.data?.root_session_id;
  const completions = useQuery({ ...treeCompletions(client, root ?? ''), enabled: root !== undefined });
  const agreed = useMemo(
    () =>
      completions.data?.items.filter(
        ({ contract, write_scope }) => contract !== null || write_scope !== null,
      ) ?? [],
    [completions.data],
  );
  const change = changes.get(id);
  const isPast = at !== undefined && at !== version;
  // What is agreed now says nothing of an earlier version.
  const marks = useMemo(
    () => marksOn(shown.data?.current_data ?? {}, isPast ? [] : agreed),
    [shown.data, agreed, isPast],
  );
  const lit = useMemo(
    () => (change === undefined || isPast ? NOTHING : change.patch.map(({ path }) => path)),
    [change, isPast],
  );
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
  if (present.isError) return <Failed error={present.error} retry={() => void present.refetch()} />;
  if (shown.isError)
    return (
      <NoVersion
        error={shown.error}
        retry={() => void shown.refetch()}
        show={(other) => goTo({ at: other })}
        without="Back to the present"
        leave={() => goTo({ at: undefined, from: undefined })}
      />
    );
  if (present.data === undefined || version === undefined || shown.data === undefined)
    return <Loading what="the state" />;
  const { root_session_id, root_session_name, schema_name, schema_version } = present.data;
  const document: JsonObject = shown.data.current_data;
  const value = valueAt(document, selected);
  return (
    <NamesProvider of={names}>
      <Heading name={root_session_name} kind={`version ${String(version)}`} />
      <p className="row facts">
        <span>
          Schema{' '}
          <Link to="/ui/schemas/$name" params={{ name: schema_name }} search={{ version: schema_version }}>
            {schema_name} v{schema_version}
          </Link>
        </span>
        <Link to="/ui/trees/$id" params={{ id: root_session_id }} search={{}}>
          Tree of sessions
        </Link>
        <code>{id}</code>
        <Copy text={mcpConfigurationOf(root_session_name, token !== null)}>Copy MCP configuration</Copy>
        {change !== undefined && (
          <span className="lit-note" role="status">
            Version {change.version} by{' '}
            <Writer session={change.updated_by_session} token={change.token_name} />,{' '}
            <Ago at={change.timestamp} />
          </span>
        )}
      </p>
      <div className="columns">
        <Panel
          title={isPast ? `Document at version ${String(at)}` : 'Document'}
          aside={
            <input
              type="search"
              aria-label="Search the document"
              placeholder="Search names and values"
              value={find}
              onChange={({ target }) => go({ find: target.value === '' ? undefined : target.value })}
            />
          }
        >
          {isPast && (
            <p className="notice past">
              This is the past.{' '}
              <button
                type="button"
                className="quiet"
                onClick={() => goTo({ at: undefined, from: undefined })}
              >
                Back to the present
              </button>
            </p>
          )}
          <DocumentTree
            document={document}
            search={find}
            lit={lit}
            marks={marks}
            selected={selected}
            onSelect={(place) => go({ place: place === '' ? undefined : place })}
          />
          <div className="selected">
            <code>{selected === '' ? '(whole document)' : selected}</code>
            <span className="row">
              <Copy text={selected}>Copy pointer</Copy>
              <Copy text={curlOf(id, selected, isPast ? at : undefined)}>Copy curl</Copy>
              <Copy text={commandOf(id, selected, isPast ? at : undefined)}>Copy command</Copy>
              <Copy text={() => (value === undefined ? '' : JSON.stringify(value, null, 2))}>Copy value</Copy>
            </span>
            {selected !== '' && typeof value === 'string' && <pre dir="auto">{value}</pre>}
          </div>
        </Panel>
        <div>
          <Schema name={shown.data.schema_name} version={shown.data.schema_version} place={selected} />
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
      {isContainer(present.data.current_data['orchestrator_workflow']) && <Workflow id={id} />}
      <Keys root={root_session_id} document={present.data.current_data} find={find} selected={key} />
    </NamesProvider>
  );
}
