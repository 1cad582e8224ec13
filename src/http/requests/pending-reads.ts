// What a session has read in one request, until its answer is sent.
import type { ReadLog } from '../../ports/host.js';

/**
 * Holds the notes of a request's reads. An answer without the content, or without a reader, must not move the read
 * cursor: the session's next write would be based on what it never saw, and remove what others wrote.
 */
export class PendingReads implements ReadLog {
  #notes: (() => void)[] = [];

  add(note: () => void): void {
    this.#notes.push(note);
  }

  /** The caller gets what was read. */
  delivered(): void {
    for (const note of this.#notes) note();
    this.#notes = [];
  }

  /** The caller does not get it. */
  discard(): void {
    this.#notes = [];
  }
}
