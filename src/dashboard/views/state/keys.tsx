// The top-level members of a document as a table: what each holds, and who wrote it last.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { keys } from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Ago, Empty, Failed, Loading, Panel, Table } from '../../parts/basics.js';
import { Writer } from '../../parts/text/names.js';
import { valueInShort } from '../../parts/value.js';

interface KeysProps {
  /** The root session of the state. */
  readonly root: string;
  readonly find: string;
  readonly selected: string | undefined;
}

/** A document may have thousands of keys; the search finds the others. */
const ROWS_MAX = 200;

export function Keys({ root, find, selected }: KeysProps) {
  const read = useQuery(keys(useClient(), root));
  const all = Object.entries(read.data?.keys ?? {});
  const wanted = find.toLowerCase();
  const fitting = all.filter(([key]) => key.toLowerCase().includes(wanted));
  // The search also finds values and inner names; where no key fits, all are shown.
  const shown = fitting.length === 0 ? all : fitting;
  return (
    <Panel title="Keys">
      {read.isPending && <Loading what="the keys" />}
      {read.isError && <Failed error={read.error} retry={() => void read.refetch()} />}
      {read.isSuccess && all.length === 0 && <Empty>The document has no member yet.</Empty>}
      {shown.length > 0 && (
        <Table label="Keys" head={['Key', 'Value', 'Version', 'Updated', 'By']}>
          {shown.slice(0, ROWS_MAX).map(([key, { value, version, updated_at, updated_by }]) => (
            <tr key={key}>
              <td className="prose">
                <Link
                  to="."
                  search={(before) => ({ ...before, key: key === selected ? undefined : key })}
                  aria-current={key === selected ? 'true' : undefined}
                  activeProps={{}}
                  activeOptions={{ exact: true }}
                  replace
                  resetScroll={false}
                >
                  <bdi>{key}</bdi>
                </Link>
              </td>
              <td className="prose">
                <code>
                  <bdi>{valueInShort(value)}</bdi>
                </code>
              </td>
              <td>{version}</td>
              <td>
                <Ago at={updated_at} />
              </td>
              <td className="prose">
                <Writer session={updated_by} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      {shown.length > ROWS_MAX && (
        <p className="faint">{shown.length - ROWS_MAX} more: search the document for their names.</p>
      )}
    </Panel>
  );
}
