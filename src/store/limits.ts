// Limits of the stores. Those of the product are in domain/limits.ts.

export const DEFAULT_STORE_LIMITS = {
  /** Most requests in one commit. */
  groupRequestsMax: 512,
  /**
   * A group with at least this many records is written by the writing thread. For fewer, waking the threads
   * would take longer than the disk.
   */
  threadRecordsMin: 8,
  /** While the thread writes one half of at least this many records, the other half is decided. */
  threadShareMin: 16,
  /**
   * Most characters of text in one batch for the writing thread. A decision that exceeds it is written on the
   * main thread.
   */
  threadCharactersMax: 4 * 1024 * 1024,
  /** How many times one decision may load more records. Beyond this it is a bug. */
  decisionRoundsMax: 10,
  /** Size, as JSON text, of the session aggregates cached between decisions. */
  aggregatesKeptBytesMax: 64 * 1024 * 1024,
  /** Number of state heads, and of trees, cached between decisions. */
  headsKeptMax: 20_000,
  /** How long another process may hold the write lock before a write fails. Reads continue meanwhile. */
  busyMs: 5_000,
  /** The longest pause between two attempts to get a lock that another process holds. */
  busyPauseMsMax: 25,
  /** How long the check for writability waits for another process. */
  probeMs: 500,
  /** Time between two checks of the database files. */
  watchMs: 1_000,
  /**
   * How long a silent coordinator keeps its lease, if nothing proves that it is gone. An idle coordinator
   * renews the lease every third of this time, an active one every `watchMs`. Each renewal is a commit.
   */
  leaseMs: 60_000,
  /**
   * Size of the write-ahead log at which a commit starts a checkpoint. A checkpoint copies a page that many
   * commits changed only once, and costs the disk a flush. At SQLite's default of 4 MiB, checkpoints cost a
   * quarter of the throughput of writes to many states.
   */
  checkpointBytes: 32 * 1024 * 1024,
  /** Size to which the write-ahead log is truncated after a checkpoint. */
  journalBytesMax: 64 * 1024 * 1024,
  pageCacheBytes: 16 * 1024 * 1024,
  /**
   * With less free space than this, the write-ahead log is moved into the database every `watchMs`, if it has at least
   * `shortLogBytes`. Twice `checkpointBytes`: room for a log of that size, and for the database to take it in.
   */
  shortBytes: 64 * 1024 * 1024,
  shortLogBytes: 1024 * 1024,
  /** With less free space than this, a database counts as not writable. */
  freeBytesMin: 1024 * 1024,
} as const;

export type StoreLimits = { readonly [name in keyof typeof DEFAULT_STORE_LIMITS]: number };
