// Who hears of commits, in their order.
import type { Changeset } from '../../domain/transactions/changeset.js';

type Listener = (changes: Changeset) => void;

export class Listeners {
  readonly #listeners = new Set<Listener>();

  /** @param onError - Hears what a listener threw. */
  constructor(private readonly onError: (error: unknown) => void) {}

  /** @returns How to stop. */
  add(listener: Listener): () => void {
    // A closure of its own, so that one function that listens twice is told twice.
    const own: Listener = (changes) => listener(changes);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  tell(changes: Changeset): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(changes);
      } catch (error) {
        // Not from here: what the reporter itself throws must not keep the group from its answers.
        queueMicrotask(() => this.onError(error));
      }
    }
  }
}
