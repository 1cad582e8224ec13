// Bounds of the stores themselves. Those of the product are in domain/limits.ts.

export const DEFAULT_STORE_LIMITS = {
  /** Requests that share one commit. */
  groupRequestsMax: 512,
  /**
   * From how many records on a group is written by the thread. Fewer are written at once: they would wait longer for the
   * threads to wake each other than for the disk.
   */
  threadRecordsMin: 8,
  /** How many characters go to the thread at once. What is longer is written where it lies. */
  threadCharactersMax: 4 * 1024 * 1024,
  /** How often one decision may ask for more records before it counts as a bug. */
  decisionRoundsMax: 10,
  /** Size of the desks that are kept between decisions, as JSON text. */
  desksKeptBytesMax: 64 * 1024 * 1024,
  /** Heads of states, and trees, that are kept between decisions. */
  headsKeptMax: 20_000,
  /** How long another process may hold the database before a write fails. Nothing else waits meanwhile. */
  busyMs: 5_000,
  /** Between two tries to get at a database that another process holds, at most. */
  busyPauseMsMax: 25,
  /** How long the question whether the database can be written waits for another process. */
  probeMs: 500,
  /** Between two looks whether the files of the database are in their places. */
  watchMs: 1_000,
  /**
   * How long a coordinator that gives no sign of life keeps its database, where nobody can tell that it is gone. A third
   * of that lies between two signs, each of which is a commit.
   */
  leaseMs: 60_000,
  /**
   * Size of the write-ahead log at which a commit brings it over into the database. Pages that many commits change are
   * brought over once, and each time costs the disk a flush: a quarter of the writes to many states at SQLite's 4 MiB.
   */
  checkpointBytes: 32 * 1024 * 1024,
  /** Size that the write-ahead log is cut back to after a checkpoint. */
  journalBytesMax: 64 * 1024 * 1024,
  pageCacheBytes: 16 * 1024 * 1024,
  /** A database with less room than this counts as not writable. */
  freeBytesMin: 1024 * 1024,
} as const;

export type StoreLimits = { readonly [name in keyof typeof DEFAULT_STORE_LIMITS]: number };
