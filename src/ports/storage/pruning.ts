// The bounds of old data, and how much of it a step removed.

/**
 * What pruning removes: domain events beyond `keptMax` or older than `before`, idempotency records older than
 * `receiptsBefore`, and archives of workflow records older than `archivesBefore`.
 */
export interface PruneBounds {
  readonly keptMax: number;
  readonly before: number;
  readonly receiptsBefore: number;
  readonly archivesBefore: number;
  /** An owner whose idempotency records are pruned to the newest `keptMax`. `owner` is the prefix of their ids. */
  readonly receiptsOf?: { readonly owner: string; readonly keptMax: number };
  /** Most rows of each kind to remove in one call. */
  readonly rowsMax: number;
}

/** How many rows were removed. */
export interface Pruned {
  readonly events: number;
  readonly notices: number;
  /** Removed because of their age. */
  readonly receipts: number;
  /** Removed because `receiptsOf` had more than its `keptMax`. */
  readonly receiptsOfOwner: number;
  readonly archives: number;
}
