// A list of records with a status: it can be narrowed to a status and to a tree, and read from either end.
import type { ListFilter, ListStatus } from '../api/list-queries.js';
import { RootFilter, StatusTabs } from './filters.js';
import { Heading } from './heading.js';
import { capitalized, Listing, type ListingProps } from './listing.js';

interface FilteredListingProps<T, Status extends ListStatus> extends Omit<ListingProps<T>, 'cursor'> {
  readonly statuses: readonly Status[];
  readonly filter: ListFilter<Status>;
  /** How many there are of each status, in all trees. */
  readonly counts: Readonly<Record<string, number>> | undefined;
}

export function FilteredListing<T, Status extends ListStatus>({
  statuses,
  filter: { status, root, order, cursor },
  counts,
  empty,
  ...listing
}: FilteredListingProps<T, Status>) {
  const isNarrowed = status !== undefined || root !== undefined;
  const one = listing.what.slice(0, -1);
  return (
    <>
      <Heading name={capitalized(listing.what)} />
      <StatusTabs statuses={statuses} selected={status} counts={root === undefined ? counts : undefined} />
      <RootFilter root={root} order={order} />
      <Listing {...listing} cursor={cursor} empty={isNarrowed ? `No ${one} fits these filters.` : empty} />
    </>
  );
}
