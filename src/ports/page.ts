// Pages of lists.

/** A page of a list. `nextCursor` is opaque, and `null` on the last page. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

export interface PageRequest {
  readonly limit: number;
  readonly cursor: string | null;
}
