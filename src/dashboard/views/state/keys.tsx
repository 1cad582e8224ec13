// The top-level members of a document as a table: what each holds, and who wrote it last.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CountersignError, type JsonObject, type JsonValue, type KeysView } from '../../../client/index.js';
import { keys } from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Ago, Empty, Failed, Loading, Panel, Table } from '../../parts/basics.js';
import { IN_PLACE } from '../../parts/text/links.js';
import { Writer } from '../../parts/text/names.js';
import { nameInShort, valueInShort } from '../../parts/value.js';

interface KeysProps {
  /** The root session of the state. A state outlives it. */
  readonly root: string;
  /** The present document. */
  readonly document: JsonObject;
  readonly find: string;
  readonly selected: string | undefined;
}

interface Entry {
  readonly value: JsonValue;
  /** Its last write, where it is known. */
  readonly last?: KeysView['keys'][string];
}

/** A document may have thousands of keys; the search finds the others. */
const ROWS_MAX = 200;

export function Keys({ root, document, find, selected }: KeysProps) {
  const read = useQuery(keys(useClient(), root));
  const rootIsGone = read.error instanceof CountersignError && read.error.code === 'session_not_found';
  const all: readonly (readonly [string, Entry])[] = rootIsGone
    ? Object.entries(document).map(([key, value]) => [key, { value }])
    : Object.entries(read.data?.keys ?? {}).map(([key, last]) => [key, { value: last.value, last }]);
  const lowerCase = find.toLowerCase();
  const fitting = all.filter(([key]) => key.toLowerCase().includes(lowerCase));
  // The search also finds values and inner names; where no key fits, all are shown.
  const shown = fitting.length === 0 ? all : fitting;
  return (
    <Panel title="Keys">
      {read.isPending && <Loading what="the keys" />}
      {rootIsGone && (
        <p className="faint">
          The root session was deleted, so it is not known here who wrote each key last. The history of a key
          shows it.
        </p>
      )}
      {read.isError && !rootIsGone && <Failed error={read.error} retry={() => void read.refetch()} />}
      {(read.isSuccess || rootIsGone) && all.length === 0 && <Empty>The document has no member yet.</Empty>}
      {shown.length > 0 && (
        <Table
          label="Keys"
          rows={shown.slice(0, ROWS_MAX)}
          keyOf={([key]) => key}
          columns={[
            ['Key', ([key]) => <KeyLink name={key} isSelected={key === selected} />, 'prose'],
            [
              'Value',
              ([, { value }]) => (
                <code>
                  <bdi>{valueInShort(value)}</bdi>
                </code>
              ),
              'prose',
            ],
            ['Version', ([, { last }]) => last?.version],
            ['Updated', ([, { last }]) => last !== undefined && <Ago at={last.updated_at} />],
            ['By', ([, { last }]) => last !== undefined && <Writer session={last.updated_by} />, 'prose'],
          ]}
        />
      )}
      {shown.length > ROWS_MAX && (
        <p className="faint">{shown.length - ROWS_MAX} more: search the document for their names.</p>
      )}
    </Panel>
  );
}

function KeyLink({ name, isSelected }: { readonly name: string; readonly isSelected: boolean }) {
  return (
    <Link
      to="."
      search={(before) => ({ ...before, key: isSelected ? undefined : name })}
      aria-current={isSelected ? 'true' : undefined}
      {...IN_PLACE}
    >
      <bdi>{nameInShort(name)}</bdi>
    </Link>
  );
}
