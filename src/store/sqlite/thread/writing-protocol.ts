// What the main thread and the writing thread say to each other.
import type { StoreLimits } from '../../limits.js';

/** What the thread is started with. */
export interface WritingSetup {
  readonly path: string;
  readonly limits: StoreLimits;
  /** What the row of the database's owner has to say, for anything to be written; `null` where nobody owns it. */
  readonly owner: string | null;
}

/** Rows to be written as one commit. */
export interface WritingRequest {
  /** Statements that are named for the first time; each is called by its place among all that were ever named. */
  readonly statements: readonly string[];
  /** Places of the statements, in the order in which they run; each has to write one row. */
  readonly places: readonly number[];
  /** The values of each. */
  readonly values: readonly (readonly unknown[])[];
  /** True where the main thread has written since its last request. */
  readonly wroteHere: boolean;
}

/**
 * What became of them. `stale`: another process has written since the thread's last commit, and nothing was.
 * `failed`: nothing was written.
 */
export type WritingAnswer = 'written' | 'stale' | 'failed';

/** What the thread says: first that it is there, then an answer to each request. */
export type WritingMessage = 'ready' | WritingAnswer;
