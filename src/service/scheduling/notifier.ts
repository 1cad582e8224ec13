// Wakes whoever waits in this process for something to change. Forgetful: who wakes up looks for itself.
import type { Changeset } from '../../domain/transactions/changeset.js';

/**
 * `runs`: a run waits for a runner. `runner:ID`: an order for that runner. `callbacks:ID`: news for that parent, or its end.
 * `state:ID`: that state has a new version, or is gone. `tree:ID`: something happened in that tree. `feed`: anywhere.
 */
export type Topic =
  'runs' | `runner:${string}` | `callbacks:${string}` | `state:${string}` | `tree:${string}` | 'feed';

export class Notifier {
  readonly #waiting = new Map<Topic, Set<() => void>>();

  wake(topic: Topic): void {
    const waiting = this.#waiting.get(topic);
    if (waiting === undefined) return;
    this.#waiting.delete(topic);
    for (const wakeUp of waiting) wakeUp();
  }

  wakeAll(): void {
    for (const topic of [...this.#waiting.keys()]) this.wake(topic);
  }

  /** Wakes those whom a commit concerns. */
  hear(changes: Changeset): void {
    if (this.#waiting.size === 0) return;
    for (const change of changes) {
      if (!('put' in change)) {
        if (change.remove === 'state') this.wake(`state:${change.id}`);
        continue;
      }
      if (change.put === 'event') this.wake(`state:${change.record.stateId}`);
      if (change.put === 'event' || change.put === 'notice') {
        this.wake(`tree:${change.record.rootSessionId}`);
        this.wake('feed');
      }
      if (change.put === 'callback' && change.record.status === 'queued') {
        this.wake(`callbacks:${change.record.parentSessionId}`);
      }
      if (change.put === 'session' && change.record.deletedAt !== null) {
        this.wake(`callbacks:${change.record.sessionId}`);
      }
      if (change.put !== 'run') continue;
      const { status, runnerId, completedAt } = change.record;
      // The end of one run lets the next of its session be claimed.
      if (status === 'pending' || completedAt !== null) this.wake('runs');
      if (status === 'stopping' && runnerId !== null) this.wake(`runner:${runnerId}`);
    }
  }

  /**
   * A promise of the next wake-up for any of the topics. To be made before looking, so that nothing is missed between.
   *
   * @returns The promise, true for news, false after `waitMs` or at the abort; and how to give it up.
   */
  listen(
    topics: readonly Topic[],
    waitMs: number,
    signal?: AbortSignal,
  ): { woken: Promise<boolean>; cancel: () => void } {
    let wakeUp: (news: boolean) => void = () => undefined;
    const woken = new Promise<boolean>((resolve) => (wakeUp = resolve));
    const timer = setTimeout(() => cancel(), Math.max(0, waitMs));
    const end = (news: boolean) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      for (const topic of topics) this.#leave(topic, wake);
      wakeUp(news);
    };
    const cancel = () => end(false);
    const wake = () => end(true);
    for (const topic of topics) {
      const waiting = this.#waiting.get(topic) ?? new Set();
      this.#waiting.set(topic, waiting.add(wake));
    }
    signal?.addEventListener('abort', cancel);
    if (signal?.aborted === true) cancel();
    return { woken, cancel };
  }

  #leave(topic: Topic, wake: () => void): void {
    const waiting = this.#waiting.get(topic);
    waiting?.delete(wake);
    if (waiting?.size === 0) this.#waiting.delete(topic);
  }
}
