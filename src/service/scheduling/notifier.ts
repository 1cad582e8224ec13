// Wakes waiters in this process when something changes. It carries no data: a waiter reads again after it wakes up.
import type { Changeset } from '../../domain/transactions/changeset.js';

/**
 * What a waiter can wait for:
 *
 * - `runs`: a run may be available for a runner.
 * - `runner:ID`: a stop order for that runner.
 * - `callbacks:ID`: a callback is due for that parent, or the parent was deleted.
 * - `state:ID`: that state has a new version, or was deleted.
 * - `tree:ID`: an event in that tree.
 * - `feed`: an event in any tree.
 */
export type Topic =
  'runs' | `runner:${string}` | `callbacks:${string}` | `state:${string}` | `tree:${string}` | 'feed';

export class Notifier {
  readonly #waiting = new Map<Topic, Set<() => void>>();
  #commits = 0;

  /** The number of commits seen. The end of a stream stays valid until it changes. */
  get commits(): number {
    return this.#commits;
  }

  wake(topic: Topic): void {
    const waiting = this.#waiting.get(topic);
    if (waiting === undefined) return;
    this.#waiting.delete(topic);
    for (const wakeUp of waiting) wakeUp();
  }

  /** Wakes all waiters: not all commits are known, or the service stops. */
  wakeAll(): void {
    this.#commits += 1;
    for (const topic of [...this.#waiting.keys()]) this.wake(topic);
  }

  /** Wakes the waiters of every topic that a commit affects. */
  onCommit(changes: Changeset): void {
    this.#commits += 1;
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
      // When a run ends, the next run of its session can be claimed.
      if (status === 'pending' || completedAt !== null) this.wake('runs');
      if (status === 'stopping' && runnerId !== null) this.wake(`runner:${runnerId}`);
    }
  }

  /**
   * Subscribes to the topics until the first wake-up. Call it before reading, so that no change is missed.
   *
   * @returns `woken` resolves to true at a change, and to false after `waitMs` or at the abort. `cancel` ends
   *   the subscription.
   */
  listen(
    topics: readonly Topic[],
    waitMs: number,
    signal?: AbortSignal,
  ): { woken: Promise<boolean>; cancel: () => void } {
    let wakeUp: (hasChanged: boolean) => void = () => undefined;
    const woken = new Promise<boolean>((resolve) => (wakeUp = resolve));
    const timer = setTimeout(() => cancel(), Math.max(0, waitMs));
    const end = (hasChanged: boolean) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      for (const topic of topics) this.#unsubscribe(topic, wake);
      wakeUp(hasChanged);
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

  #unsubscribe(topic: Topic, wake: () => void): void {
    const waiting = this.#waiting.get(topic);
    waiting?.delete(wake);
    if (waiting?.size === 0) this.#waiting.delete(topic);
  }
}
