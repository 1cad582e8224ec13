// Reads a page of a state's history. All operations that page through the history use it.
import { ok, type Result } from '../../domain/errors.js';
import { isJsonObject } from '../../domain/json/json.js';
import type { StateEvent } from '../../domain/records/records.js';
import type * as api from '../../ports/api/index.js';
import { compacted } from './compacted.js';
import { operationsByKey } from './key-versions.js';
import { patchOf } from './patch-of.js';
import type { Store } from '../../ports/storage/store.js';
import type { Limits } from '../../domain/limits.js';
import type { TimeSlices } from '../../lib/time-slices.js';

interface Parts {
  readonly store: Store;
  readonly limits: Limits;
  readonly slices: TimeSlices;
}

interface EventPage {
  readonly events: readonly StateEvent[];
  /** The version to go on from; `null` at the end of the history. */
  readonly nextSince: number | null;
}

/**
 * The events after version `since`. By default, starts at the oldest event of the history. With `key` or `session`,
 * searches as many events as a page without them can hold, so the page may be empty although there is a next one.
 *
 * @returns A page, bounded in number and bytes; or `version_compacted`.
 */
export async function eventPage(
  context: Parts,
  stateId: string,
  query: api.EventQuery,
): Promise<Result<EventPage>> {
  const { store, limits } = context;
  const { since, key, session } = query;
  const unavailable = since === undefined ? null : await compacted(context, stateId, since + 1);
  if (unavailable !== null) return unavailable;
  const pause = context.slices.yieldIfDue();
  if (pause !== undefined) await pause;
  const items = Math.min(query.limit ?? limits.listItemsDefault, limits.listItemsMax);
  const searches = key !== undefined || session !== undefined;
  const { events, hasMore } = await store.read.events(
    stateId,
    since ?? 0,
    searches ? limits.listItemsMax : items,
    limits.eventBytesPerPageMax,
  );
  if (!searches) return ok({ events, nextSince: hasMore ? versionOf(events.at(-1)) : null });
  const by = session === undefined ? undefined : ((await store.read.session(session))?.sessionId ?? session);
  const found = events.filter(
    (event) => (by === undefined || event.sessionId === by) && (key === undefined || changes(event, key)),
  );
  const given = found.slice(0, items);
  const isAll = given.length === found.length;
  return ok({
    events: given,
    nextSince: isAll && !hasMore ? null : versionOf((isAll ? events : given).at(-1)),
  });
}

function versionOf(event: StateEvent | undefined): number | null {
  return event?.version ?? null;
}

/** A write of the whole document that does not say what it changed counts as a change of every key. */
function changes(event: StateEvent, key: string): boolean {
  const patch = patchOf(event);
  const byKey = operationsByKey(patch);
  if (byKey !== null || event.version > 1) return byKey?.has(key) ?? true;
  return patch.some((one) => 'value' in one && isJsonObject(one.value) && Object.hasOwn(one.value, key));
}

/** The members of a page that say where it ends. */
export function pageEnd({ nextSince }: EventPage) {
  return nextSince === null ? { has_more: false } : { has_more: true, next_since: nextSince };
}
