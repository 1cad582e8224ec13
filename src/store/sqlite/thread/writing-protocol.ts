// Messages between the main thread and the writing thread.
import type { StoreLimits } from '../../limits.js';

/** What the thread is started with. */
export interface WritingSetup {
  readonly path: string;
  readonly limits: StoreLimits;
  /** The required content of the owner's row; nothing is written if it differs. `null` if the database has no owner. */
  readonly owner: string | null;
}

export interface NewStatement {
  readonly sql: string;
  /** The number of its values. */
  readonly parameters: number;
}

/** Rows to write as one commit. */
export interface WritingRequest {
  /** Statements that are new in this request. A statement's index counts all statements ever sent. */
  readonly newStatements: readonly NewStatement[];
  /** Indices of the statements, in execution order. Each statement must write exactly one row. */
  readonly indices: readonly number[];
  /** The values of all statements, one after the other. */
  readonly values: readonly unknown[];
  /** True if the main thread has written since its last request. */
  readonly wroteHere: boolean;
}

/**
 * The result of a request. In `stale` and `failed`, nothing was written. `stale`: another process has written
 * since the thread's last commit.
 */
export type WritingAnswer = 'written' | 'stale' | 'failed';

/** A message from the thread: first `ready`, then one answer per request. */
export type WritingMessage = 'ready' | WritingAnswer;
