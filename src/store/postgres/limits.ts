// Limits of the PostgreSQL store. Those of every store are in store/limits.ts.

export const DEFAULT_POSTGRES_LIMITS = {
  /** Most connections of one coordinator. */
  connectionsMax: 10,
  /** Most commits of one coordinator at a time. */
  commitsAtOnceMax: 4,
  /** How long a request waits for a connection. */
  connectMs: 5_000,
  /** After this time without use, a connection is closed. */
  idleMs: 30_000,
  /** The server ends a statement that runs longer. */
  statementMs: 30_000,
  /**
   * A connection on which a statement has no answer for this time is given up: the network may be silent. Longer than
   * `statementMs`, so that the server is first.
   */
  answerMs: 35_000,
  /** The server ends a statement that waits longer for a lock. Nothing is written then. */
  lockMs: 10_000,
  /** The same for the locks of an opening, for which the commits of all coordinators wait. It is tried again then. */
  openingLockMs: 2_000,
  /** How long an opening tries to get its locks. */
  openingMs: 600_000,
  /**
   * The server ends a transaction in which nothing happens for this time, so that a coordinator that hangs does not
   * keep its locks.
   */
  idleInTransactionMs: 5_000,
  /** How often a coordinator looks for commits of others that it was not notified of. */
  commitPollMs: 2_000,
  /** How often a coordinator says that it works on the database. */
  coordinatorSeenMs: 5_000,
  /** A coordinator that has not said so for this time counts as gone. */
  coordinatorGoneMs: 30_000,
  /** The wait before the connection for notifications is made again. */
  listenRetryMs: 1_000,
  /** How long the check for readiness waits. */
  probeMs: 2_000,
} as const;

export type PostgresLimits = { readonly [name in keyof typeof DEFAULT_POSTGRES_LIMITS]: number };
