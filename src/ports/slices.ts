// Long work in slices: what would hold the event loop too long waits for its turn, and requests are answered in between.

/** How long one slice takes unless told, milliseconds. */
const SLICE_MS = 10;

/**
 * Between two slices, the event loop turns so often, or for so long where there is that much else to do. Node accepts one
 * connection in each turn: with a single one, a thousand new connections would take a thousand slices.
 */
const LOOP_TURNS = 64;
const LOOP_MS = 50;

/** Promises that may lie between a turn and the work that it is for. */
const STEPS_BEHIND = 4;

export class Slices {
  readonly #waiting = new Set<() => void>();
  #from: number | null = null;
  #waits = 0;

  /** @param sliceMs - How much work may be done before what follows waits. */
  constructor(private readonly sliceMs = SLICE_MS) {}

  /** How often something has waited. */
  get waits(): number {
    return this.#waits;
  }

  /** @returns `undefined` where the work may go on at once; else a promise of its turn, in the order of the calls. */
  turn(): Promise<void> | undefined {
    if (this.#waiting.size === 0) {
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

  /** Makes something of each item, and lets others go before in between. */
  async map<A, B>(items: readonly A[], into: (item: A) => B): Promise<B[]> {
    const made: B[] = [];
    for (const item of items) {
      const turn = this.turn();
      if (turn !== undefined) await turn;
      made.push(into(item));
    }
    return made;
  }

  /** Called after each turn of the event loop in which there was work. */
  async #next(): Promise<void> {
    if (this.#waiting.size === 0) {
      this.#from = null;
      return;
    }
    const from = performance.now();
    this.#from = from;
    for (const goOn of this.#waiting) {
      this.#waiting.delete(goOn);
      goOn();
      // Whoever was let go on works now, some steps behind its promise.
      for (let step = 0; step < STEPS_BEHIND; step += 1) await Promise.resolve();
      if (performance.now() - from >= this.sliceMs) break;
    }
    this.#nextLater();
  }

  /** Lets the event loop do what else there is. */
  #nextLater(): void {
    const from = performance.now();
    let turns = 0;
    const turned = (): void => {
      turns += 1;
      const isEnough = turns >= LOOP_TURNS || performance.now() - from >= LOOP_MS;
      if (isEnough || this.#waiting.size === 0) void this.#next();
      else setImmediate(turned);
    };
    setImmediate(turned);
  }
}
