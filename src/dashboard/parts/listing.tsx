// A page of a list: its rows, what to do where there are none, and the way to the next page.
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Listed } from '../../client/index.js';
import { Empty, Table, Unread, type TableProps } from './basics.js';

export interface ListingProps<T> extends Pick<TableProps<T>, 'columns' | 'keyOf' | 'isLit'> {
  /** What the list holds, in the plural. */
  readonly what: string;
  readonly read: UseQueryResult<Listed<T>>;
  /** The cursor of this page; none for the first page. */
  readonly cursor?: string | undefined;
  /** What to say where nothing is. */
  readonly empty: ReactNode;
}

export function Listing<T>({ what, read, cursor, empty, ...table }: ListingProps<T>) {
  const items = read.data?.items ?? [];
  return (
    <>
      {!read.isSuccess && <Unread read={read} what={what} />}
      {read.isSuccess && items.length === 0 && (
        <Empty>{cursor === undefined ? empty : `There are no more ${what}.`}</Empty>
      )}
      {items.length > 0 && <Table label={capitalized(what)} rows={items} {...table} />}
      <Pager cursor={cursor} next={read.isPlaceholderData ? null : read.data?.next_cursor} />
    </>
  );
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function Pager({
  cursor,
  next,
}: {
  readonly cursor?: string | undefined;
  readonly next: string | null | undefined;
}) {
  if (cursor === undefined && next == null) return null;
  return (
    <nav className="row pager" aria-label="Pages">
      {cursor !== undefined && (
        <Link to="." search={(before) => ({ ...before, cursor: undefined })} activeOptions={{ exact: true }}>
          First page
        </Link>
      )}
      {next != null && (
        <Link to="." search={(before) => ({ ...before, cursor: next })}>
          Next page
        </Link>
      )}
    </nav>
  );
}
