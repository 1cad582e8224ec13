// Entries of a workflow record as a table, and what they hold.
import type { ReactNode } from 'react';
import type { JsonObject, JsonValue } from '../../../../client/index.js';
import { Ago, Table, type Column } from '../../../parts/basics.js';
import { Names } from '../../../parts/text/texts.js';
import { isContainer, isList } from '../document.js';

/** A list shows so many of its first entries. */
const ROWS_MAX = 50;

interface EntriesProps<T> {
  readonly title: string;
  readonly none: string;
  readonly columns: readonly Column<T>[];
  readonly of: readonly T[];
  /** Where those are that are not shown; the document by default. */
  readonly rest?: ReactNode;
}

export function Entries<T>({ title, none, columns, of, rest = 'in the document' }: EntriesProps<T>) {
  return (
    <>
      <h3>{title}</h3>
      {of.length === 0 ? (
        <p className="faint">{none}</p>
      ) : (
        <Table
          label={title}
          rows={of.slice(0, ROWS_MAX)}
          keyOf={(_, index) => index}
          columns={columns.map(([name, cell]): Column<T> => [
            name,
            (entry) => isolated(cell(entry)),
            'prose',
          ])}
        />
      )}
      {of.length > ROWS_MAX && (
        <p className="faint">
          {of.length - ROWS_MAX} more {rest}.
        </p>
      )}
    </>
  );
}

/** Text of others must not reorder what stands beside it. */
function isolated(cell: ReactNode): ReactNode {
  return typeof cell === 'string' ? <bdi>{cell}</bdi> : cell;
}

export function textOf(entry: JsonObject, name: string): string {
  const value = entry[name];
  return typeof value === 'string' ? value : '';
}

export function namesOf(entry: JsonObject, name: string): ReactNode {
  const value = entry[name];
  const names = isContainer(value) && isList(value) ? value : [];
  return <Names of={names.filter((one) => typeof one === 'string')} />;
}

export function objectOf(entry: JsonObject, name: string): JsonObject {
  const value: JsonValue | undefined = entry[name];
  return isContainer(value) && !isList(value) ? value : {};
}

export function timeOf(entry: JsonObject, name: string): ReactNode {
  const at = textOf(entry, name);
  return Number.isNaN(Date.parse(at)) ? at : <Ago at={at} />;
}
