// Use cases: streams of one state, of a tree, and of everything.
import { mayUse, reachRecord } from '../../domain/access/access.js';
import { RecordDamagedError } from '../../domain/damage/damage.js';
import { ok, invalidMember, fail, type Result } from '../../domain/errors.js';
import { noState } from '../../domain/states/write.js';
import type { FeedFilter, FeedPosition } from '../../ports/storage/feed.js';
import type { StreamOptions, StreamService } from '../../ports/service.js';
import { notYetAt } from '../../domain/states/expected-version.js';
import { compacted } from '../documents/compacted.js';
import type { StreamPages } from './stream-pages.js';
import type { Caller } from '../caller.js';
import { follow, type Source, type FollowParts } from './follow.js';
import type { Topic } from '../scheduling/notifier.js';
import { andThen, listedTree } from '../results.js';
import { presentState, readState, type ReadStateParts } from '../states/read-state.js';
import { bookmark, idOfPosition, itemView, positionOfId, updateOf } from './stream-views.js';

export interface StreamServiceParts extends ReadStateParts, FollowParts {
  readonly streamPages: StreamPages;
}

/** Estimated size of an event without its patch; for the bound of cached pages. */
const EVENT_BYTES = 500;

export function streamService(caller: Caller<StreamServiceParts>): StreamService {
  return {
    state: (stateId, options = {}) =>
      andThen(stateSource(caller, stateId, options), (source) => follow(caller, source, options.signal)),
    all: (filter, options = {}) =>
      andThen(feedFilter(caller, filter), (found) =>
        andThen(feedSource(caller, found, options), (source) => follow(caller, source, options.signal)),
      ),
  };
}

async function stateSource(
  caller: Caller<StreamServiceParts>,
  stateId: string,
  { after, snapshot = false }: StreamOptions,
): Promise<Result<Source<number>>> {
  const { context } = caller;
  const { store, limits } = context;
  const isShown = after === undefined && snapshot;
  const envelope = await (isShown ? readState : presentState)(caller, stateId);
  if (!envelope.ok) return envelope;
  const { version } = envelope.value;
  const since = after === undefined ? version : versionOfId(after);
  if (since === null)
    return invalidMember('/since', 'is not a version', 'a version, as in the ids of the stream');
  if (since > version) return notYetAt(since, version, after ?? '');
  const unavailable = since === version ? null : await compacted(context, stateId, since + 1);
  if (unavailable !== null) return unavailable;

  const read = async (last: number) => {
    const { events, hasMore } = await store.read.events(
      stateId,
      last,
      limits.streamEventsPerStepMax,
      limits.streamBytesPerStepMax,
    );
    const [first] = events;
    if (first === undefined && (await store.read.state(stateId)) === null) return noState(stateId);
    if (first !== undefined && first.version > last + 1) {
      // A compaction removed these events while the stream was read.
      const failure = await compacted(context, stateId, last + 1);
      return failure ?? noState(stateId);
    }
    return ok({
      events: events.map((event) => updateOf(event, String(event.version))),
      next: events.at(-1)?.version ?? last,
      hasMore,
      bytes: events.reduce((sum, event) => sum + event.patchText.length + EVENT_BYTES, 0),
    });
  };
  return ok({
    topic: `state:${stateId}`,
    start: since,
    first: isShown
      ? { id: String(version), event: 'snapshot', data: { ...envelope.value } }
      : bookmark(String(since)),
    idOf: String,
    read: (last) => context.streamPages.page(`${stateId} ${String(last)}`, last, () => read(last)),
  });
}

function versionOfId(id: string): number | null {
  return /^[0-9]{1,16}$/.test(id) ? Number(id) : null;
}

/** Checks and resolves the filter of a feed. A session may follow its own tree only. */
async function feedFilter(
  caller: Caller<StreamServiceParts>,
  { rootSession, stateId }: { rootSession?: string | undefined; stateId?: string | undefined },
): Promise<Result<FeedFilter>> {
  const { context, actor } = caller;
  const may = mayUse(actor, 'read');
  if (!may.ok) return may;
  const tree = await listedTree(caller, rootSession);
  if (!tree.ok) return tree;
  if (stateId === undefined) return ok({ rootSessionId: tree.value });
  const facts = reachRecord(actor, await context.facts.of(stateId), () => noState(stateId));
  if (!facts.ok) return facts;
  if (rootSession !== undefined && tree.value !== facts.value.rootSessionId) {
    return invalidMember('/query/state_id', 'belongs to another tree than root_session', 'one of the two');
  }
  return ok({ stateId });
}

async function feedSource(
  { context }: Caller<StreamServiceParts>,
  filter: FeedFilter,
  { after }: StreamOptions,
): Promise<Result<Source<FeedPosition>>> {
  const { store, limits, streamPages } = context;
  const asked = after === undefined ? undefined : positionOfId(after);
  if (asked === null) return invalidMember('/since', 'is not a place', 'an id of this stream, such as 12-3');
  const read = async (position: FeedPosition) => {
    const { items, next, hasMore, oldest, newest } = await store.read.feed(
      position,
      filter,
      limits.streamEventsPerStepMax,
      limits.streamBytesPerStepMax,
    );
    if (position.events < oldest.events || position.notices < oldest.notices) {
      return fail('version_compacted', 'Events after this position were removed.', {
        oldest_position: idOfPosition({
          events: Math.max(position.events, oldest.events),
          notices: Math.max(position.notices, oldest.notices),
        }),
      });
    }
    if (position.events > newest.events || position.notices > newest.notices) {
      return fail('version_not_found', 'This position is not from this database, or is newer than it.', {
        current_position: idOfPosition(newest),
      });
    }
    const bytes = items.reduce(
      (sum, item) => sum + EVENT_BYTES + ('event' in item ? item.event.patchText.length : 0),
      0,
    );
    // A stream of everything or of a tree skips a damaged event; the stream of its state reports it.
    const events = items.flatMap((item) => {
      try {
        return [itemView(item)];
      } catch (error) {
        if (error instanceof RecordDamagedError && filter.stateId === undefined) return [];
        throw error;
      }
    });
    return ok({ events, next, hasMore, bytes });
  };
  if (asked !== undefined) {
    const first = await read(asked);
    if (!first.ok) return first;
  }
  const name = filter.stateId ?? filter.rootSessionId ?? '';
  return ok({
    topic: topicOf(filter),
    start: asked ?? (await store.read.feedEnd()),
    first: null,
    idOf: idOfPosition,
    read: (position) =>
      streamPages.page(`feed ${name} ${idOfPosition(position)}`, position, () => read(position)),
  });
}

function topicOf({ stateId, rootSessionId }: FeedFilter): Topic {
  if (stateId !== undefined) return `state:${stateId}`;
  return rootSessionId === undefined ? 'feed' : `tree:${rootSessionId}`;
}
