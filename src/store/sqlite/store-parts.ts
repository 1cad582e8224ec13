// What a SQLite store is made of.
import type { Evidence } from '../../domain/evidence/check.js';
import type { TimeAway } from '../../domain/scheduling/time-away.js';
import type { StoreLimits } from '../limits.js';
import type { Client } from './connection.js';
import type { StorageWatch } from './files/storage-watch.js';

/** The parts of a store. */
export interface SqliteStoreParts {
  readonly client: Client;
  readonly path: string;
  readonly limits: StoreLimits;
  readonly watch: StorageWatch;
  /** How long the database had no coordinator before this store; `null` if it never had one, or this store is none. */
  readonly away: TimeAway | null;
  /** What histories are checked with. Default: no keys. */
  readonly evidence?: Evidence | undefined;
  /** Called with errors of subscribers and of closing. */
  readonly onError: (error: unknown) => void;
}
