// Reads a page of a state's history. All operations that page through the history use it.
import { ok, type Result } from '../../domain/errors.js';
import type { StateEvent } from '../../domain/records/records.js';
import { compacted } from './compacted.js';
import type { Store } from '../../ports/store.js';
import type { Limits } from '../../domain/limits.js';
import type { Slices } from '../../ports/slices.js';

interface Parts {
  readonly store: Store;
  readonly limits: Limits;
  readonly slices: Slices;
}

interface EventPage {
  readonly events: readonly StateEvent[];
  readonly hasMore: boolean;
}

/**
 * The events after version `since`. By default, starts at the oldest event of the history.
 *
 * @returns A page, bounded in number and bytes; or `version_compacted`.
 */
export async function eventPage(
  context: Parts,
  stateId: string,
  { since, limit }: { readonly since?: number | undefined; readonly limit?: number | undefined },
): Promise<Result<EventPage>> {
  const { store, limits } = context;
  const gone = since === undefined ? null : await compacted(context, stateId, since + 1);
  if (gone !== null) return gone;
  const turn = context.slices.turn();
  if (turn !== undefined) await turn;
  const items = Math.min(limit ?? limits.listItemsDefault, limits.listItemsMax);
  return ok(await store.read.events(stateId, since ?? 0, items, limits.eventBytesPerPageMax));
}
