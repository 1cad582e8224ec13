// Pages of lists.

/** A page of a list. `nextCursor` is opaque, and `null` on the last page. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** By creation, or the last changed first. A page goes on in the order of the page before. */
export type ListOrder = 'oldest' | 'newest' | 'changed';

export interface PageRequest {
  readonly limit: number;
  readonly cursor: string | null;
  /**
   * `oldest` by default. Lists of schemas, webhooks and deliveries have one order of their own; only states are listed
   * by their last change.
   */
  readonly order?: ListOrder | undefined;
}
