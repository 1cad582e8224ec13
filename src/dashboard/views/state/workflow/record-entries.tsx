// Entries of a workflow record as a table, and what they hold.
import type { ReactNode } from 'react';
import type { JsonObject, JsonValue } from '../../../../client/index.js';
import { Ago, Table } from '../../../parts/basics.js';
import { Names } from '../../../parts/text/texts.js';
import { isContainer, isList } from '../document.js';

/** A list shows so many of its first entries. */
const ROWS_MAX = 50;

interface EntriesProps<T> {
  readonly title: string;
  readonly none: string;
  readonly head: readonly string[];
  readonly of: readonly T[];
  /** Where those are that are not shown; the document by default. */
  readonly rest?: ReactNode;
  readonly cells: (entry: T) => readonly ReactNode[];
}

export function Entries<T>({ title, none, head, of, rest = 'in the document', cells }: EntriesProps<T>) {
  return (
    <>
      <h3>{title}</h3>
      {of.length === 0 ? (
        <p className="faint">{none}</p>
      ) : (
        <Table label={title} head={head}>
          {of.slice(0, ROWS_MAX).map((one, row) => (
            <tr key={row}>
              {cells(one).map((cell, column) => (
                <td key={column} className="prose">
                  {typeof cell === 'string' ? <bdi>{cell}</bdi> : cell}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      )}
      {of.length > ROWS_MAX && (
        <p className="faint">
          {of.length - ROWS_MAX} more {rest}.
        </p>
      )}
    </>
  );
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
