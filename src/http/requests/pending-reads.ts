// What a session has read in one request, until its answer is sent.
import type { ReadLog } from '../../ports/host.js';
import { after, type MaybePromise } from '../../lib/maybe-promise.js';

/**
 * Holds the notes of a request's reads. An answer without the content, or without a reader, must not move the read
 * cursor: the session's next write would be based on what it never saw, and remove what others wrote.
 */
export class PendingReads implements ReadLog {
  #notes: (() => MaybePromise<void>)[] = [];

  add(note: () => MaybePromise<void>): void {
    this.#notes.push(note);
  }

  /** The caller gets what was read. @returns What to wait for before. */
  delivered(): MaybePromise<void> {
    const notes = this.#notes;
    this.#notes = [];
    return notes.reduce<MaybePromise<void>>((done, note) => after(done, note), undefined);
  }

  /** The caller does not get it. */
  discard(): void {
    this.#notes = [];
  }
}
