// Divides long synchronous work into slices, so that the event loop handles requests between them.

/** Default length of a slice, in milliseconds. */
const SLICE_MS = 10;

/**
 * Between two slices, the event loop runs this many iterations, or this long if other work is pending. Node.js
 * accepts one connection per iteration: with one iteration, a thousand new connections would take a thousand slices.
 */
const LOOP_TURNS = 64;
const LOOP_MS = 50;

export class TimeSlices {
  readonly #waiting = new Set<() => void>();
  #from: number | null = null;
  /** True if the next to ask is a piece of work that has waited. */
  #isTurn = false;
  #waits = 0;

  /** @param sliceMs - Length of a slice, in milliseconds. When a slice is used up, further work waits. */
  constructor(private readonly sliceMs = SLICE_MS) {}

  /** How many calls of `yieldIfDue` have waited. */
  get waits(): number {
    return this.#waits;
  }

  /**
   * Call before each piece of work. @returns `undefined` if the work may run now, else a promise that
   * resolves in call order when it may.
   */
  yieldIfDue(): Promise<void> | undefined {
    // Two that have waited, and ask again before they have done anything, would wait for each other for ever.
    const isTurn = this.#isTurn;
    this.#isTurn = false;
    if (isTurn || this.#waiting.size === 0) {
      const now = performance.now();
      if (this.#from === null) {
        this.#from = now;
        this.#nextLater();
      }
      if (now - this.#from < this.sliceMs) return undefined;
    }
    this.#waits += 1;
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  /** Maps all items, and yields to the event loop when a slice is used up. */
  async map<A, B>(items: readonly A[], into: (item: A) => B): Promise<B[]> {
    const made: B[] = [];
    for (const item of items) {
      const pause = this.yieldIfDue();
      if (pause !== undefined) await pause;
      made.push(into(item));
    }
    return made;
  }

  /** Starts the next slice. Runs after the event loop's iterations between two slices. */
  #next(): void {
    if (this.#waiting.size === 0) {
      this.#from = null;
      return;
    }
    const from = performance.now();
    this.#from = from;
    this.#release(from);
  }

  /** Releases the next piece of work, and the ones behind it until the slice is used up. */
  #release(from: number): void {
    this.#isTurn = false;
    const [goOn] = this.#waiting;
    if (goOn === undefined || performance.now() - from >= this.sliceMs) {
      this.#nextLater();
      return;
    }
    this.#waiting.delete(goOn);
    this.#isTurn = true;
    goOn();
    // The released work runs in microtasks. Node runs a tick that a microtask requests after all microtasks.
    queueMicrotask(() => process.nextTick(() => this.#release(from)));
  }

  /** Lets the event loop run, then starts the next slice. */
  #nextLater(): void {
    const from = performance.now();
    let iterations = 0;
    const onIteration = (): void => {
      iterations += 1;
      const isEnough = iterations >= LOOP_TURNS || performance.now() - from >= LOOP_MS;
      if (isEnough || this.#waiting.size === 0) this.#next();
      else setImmediate(onIteration);
    };
    setImmediate(onIteration);
  }
}
