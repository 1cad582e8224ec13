// The feed: one ordered sequence of all state events and domain events, as the service reads it from the store.
import type { DomainEvent } from '../../domain/records/domain-event.js';
import type { StateEvent } from '../../domain/records/state-records.js';

/**
 * A position in the feed. It lies after the state event number `events` and the domain event number
 * `notices`. Both numbers only grow, in commit order. A reader that continues from the position of its last
 * item skips nothing and gets nothing twice.
 */
export interface FeedPosition {
  readonly events: number;
  readonly notices: number;
}

export const FEED_START: FeedPosition = { events: 0, notices: 0 };

/** A state event or a domain event. `position` is the position right after it. */
export type FeedItem =
  | { readonly position: FeedPosition; readonly event: StateEvent }
  | { readonly position: FeedPosition; readonly notice: DomainEvent };

/** Selects a part of the feed. No member selects everything; `stateId` has priority over `rootSessionId`. */
export interface FeedFilter {
  readonly rootSessionId?: string | undefined;
  readonly stateId?: string | undefined;
}

export interface FeedPage {
  /** In commit order. The items of one commit are adjacent. */
  readonly items: readonly FeedItem[];
  /** The position for the next read. On the last page it is the end of the feed, beyond what the filter excludes. */
  readonly next: FeedPosition;
  readonly hasMore: boolean;
  /** The oldest position that can be resumed from. From an earlier position, compacted items are missing. */
  readonly oldest: FeedPosition;
  /** The end of the feed. */
  readonly newest: FeedPosition;
}
