// Followers of the same topic. Where changes come in quick succession, they go on together, a few times a second: so they
// share what is read, and two hundred followers of a state that changes 200 times a second get 1,000 pages and not 40,000.
// They get them one after the other, evenly over the time, so that other requests never wait for all of them.
import { sleep } from '../../lib/backoff.js';
import type { Topic } from '../scheduling/notifier.js';

/** How long followers pause between two pages: a millisecond for each of them, but not less and not more. */
const PAUSE_MS_MIN = 100;
const PAUSE_MS_MAX = 1000;
/** Each step lets some followers go on, so many that all have gone on well before the pause ends. */
const STEP_MS = 5;
const PERMITS_PER_MS = 1.5;

export class FollowerGroup {
  #followers = 0;
  /** The pause that all followers are in, or that the first of them has begun. */
  #pause: Promise<void> | null = null;
  /** How many may go on before the next step. */
  #free = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly closing: AbortSignal) {}

  get followers(): number {
    return this.#followers;
  }

  join(): void {
    this.#followers += 1;
  }

  leave(): void {
    this.#followers -= 1;
  }

  /** Settles when the followers may read again, or when the service stops. */
  pause(): Promise<void> {
    return (this.#pause ??= this.#afterPause());
  }

  /** Call it after a read that followed a pause. @returns When this follower may go on; `undefined`: now. */
  acquire(): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free -= 1;
      return undefined;
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) void this.#issuePermits();
    });
  }

  async #afterPause(): Promise<void> {
    await sleep(Math.max(PAUSE_MS_MIN, Math.min(this.#followers, PAUSE_MS_MAX)), this.closing);
    this.#pause = null;
    this.#free = this.#permitsIn(STEP_MS);
  }

  async #issuePermits(): Promise<void> {
    let from = performance.now();
    while (this.#waiting.length > 0) {
      await sleep(STEP_MS, this.closing);
      const now = performance.now();
      // A step that comes late issues the permits of the time that has passed.
      for (const goOn of this.#waiting.splice(0, this.#permitsIn(Math.max(STEP_MS, now - from)))) goOn();
      from = now;
    }
  }

  #permitsIn(ms: number): number {
    return Math.ceil(ms * PERMITS_PER_MS * Math.max(1, this.#followers / PAUSE_MS_MAX));
  }
}

export class FollowerGroups {
  readonly #groups = new Map<Topic, FollowerGroup>();

  /** @param closing - Aborted when the service shuts down. */
  constructor(private readonly closing: AbortSignal) {}

  join(topic: Topic): FollowerGroup {
    const group = this.#groups.get(topic) ?? new FollowerGroup(this.closing);
    this.#groups.set(topic, group);
    group.join();
    return group;
  }

  leave(topic: Topic): void {
    const group = this.#groups.get(topic);
    group?.leave();
    if (group?.followers === 0) this.#groups.delete(topic);
  }
}
