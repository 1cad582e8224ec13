// What the service needs of a database to follow what happens: one feed of everything, and how histories are cut.
import type { DomainEvent } from '../domain/streams/domain-events.js';
import type { StateEvent } from '../domain/records/state-records.js';

/**
 * A place in the feed: everything up to this event and up to this notice is before it. Both only rise, with the commits;
 * so whoever has the last place of what it got goes on from there without a gap and without anything twice.
 */
export interface FeedPosition {
  readonly events: number;
  readonly notices: number;
}

export const FEED_START: FeedPosition = { events: 0, notices: 0 };

/** One thing that happened; `position` is the place after it. */
export type FeedItem =
  | { readonly position: FeedPosition; readonly event: StateEvent }
  | { readonly position: FeedPosition; readonly notice: DomainEvent };

/** Which part of the feed; all of it where nothing is named, and the state where both are. */
export interface FeedFilter {
  readonly rootSessionId?: string | undefined;
  readonly stateId?: string | undefined;
}

export interface FeedPage {
  /** In the order of the commits; what one commit wrote stands together. */
  readonly items: readonly FeedItem[];
  /** Where to go on. Beyond the last item where there is no more: what the filter passed over is not read again. */
  readonly next: FeedPosition;
  readonly hasMore: boolean;
  /** What comes after any place before this one is not all there any more. */
  readonly oldest: FeedPosition;
  /** The end of the feed. */
  readonly newest: FeedPosition;
}
