// Long work in slices: what would hold the event loop too long waits for its turn, and requests are answered in between.

/** How long one slice takes unless told, milliseconds. */
const SLICE_MS = 10;

export class Slices {
  readonly #waiting = new Set<() => void>();
  #from: number | null = null;
  /** Turns of the slice that is under way. */
  #turns = 0;
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
        setImmediate(this.#next);
      }
      if (now - this.#from < this.sliceMs) {
        this.#turns += 1;
        return undefined;
      }
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
  readonly #next = () => {
    if (this.#waiting.size === 0) {
      [this.#from, this.#turns] = [null, 0];
      return;
    }
    const now = performance.now();
    // As many as fit into a slice, if they take as long as those before.
    const each = (now - (this.#from ?? now)) / Math.max(1, this.#turns);
    let left = Math.max(1, Math.floor(this.sliceMs / each));
    [this.#from, this.#turns] = [now, 0];
    setImmediate(this.#next);
    for (const goOn of this.#waiting) {
      if (left === 0) break;
      left -= 1;
      this.#turns += 1;
      this.#waiting.delete(goOn);
      goOn();
    }
  };
}
