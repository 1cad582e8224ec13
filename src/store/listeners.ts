// Calls the store's listeners after commits, in commit order.
import type { Changeset } from '../domain/transactions/changeset.js';
import type { CommitOrigin } from '../ports/storage/store.js';

type Listener = (changes: Changeset, by: CommitOrigin) => void;

/** A closure per call: a function that subscribes twice is called twice. @returns A function that unsubscribes. */
export function addListener<A extends readonly unknown[], R>(
  listeners: Set<(...args: A) => R>,
  listener: (...args: A) => R,
): () => void {
  const own = (...args: A) => listener(...args);
  listeners.add(own);
  return () => {
    listeners.delete(own);
  };
}

export class Listeners {
  readonly #listeners = new Set<Listener>();

  /** @param onError - Called with an error that a listener throws. */
  constructor(private readonly onError: (error: unknown) => void) {}

  /** @returns A function that unsubscribes. */
  add(listener: Listener): () => void {
    return addListener(this.#listeners, listener);
  }

  notify(changes: Changeset, by: CommitOrigin): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(changes, by);
      } catch (error) {
        // Deferred: an error thrown by the reporter must not keep the group's callers from their results.
        queueMicrotask(() => this.onError(error));
      }
    }
  }
}
