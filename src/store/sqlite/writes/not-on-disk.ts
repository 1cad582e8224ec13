// What decisions change that are not on disk yet: those of the open transaction, and those of the group that the writing
// thread has. What a decision changes is the concern of the cache that notes it.

/** @typeParam P - What one group of decisions changes. */
export class NotOnDisk<P> {
  #open: P;
  #writing: P | null = null;

  /**
   * @param none - Creates what a group has changed before its first decision.
   * @param onDisk - Called with what a group has changed, when it is on disk.
   */
  constructor(
    private readonly none: () => P,
    private readonly onDisk: (changed: P) => void,
  ) {
    this.#open = none();
  }

  /** Written in the open transaction, or decided and not handed over yet. */
  get open(): P {
    return this.#open;
  }

  /** Handed over to the writing thread, and not on disk yet. */
  get writing(): P | null {
    return this.#writing;
  }

  /** The writing thread gets what was decided. Only when it has written all that it got before. */
  handOver(): void {
    this.#writing = this.#open;
    this.#open = this.none();
  }

  /** The writing thread has written what it got. */
  handedOverIsOnDisk(): void {
    const written = this.#writing;
    this.#writing = null;
    if (written !== null) this.onDisk(written);
  }

  /** The open transaction is on disk. */
  committed(): void {
    this.onDisk(this.#open);
    this.rolledBack();
  }

  /** Discards what the open transaction writes, or what was decided and not handed over. */
  rolledBack(): void {
    this.#open = this.none();
  }

  /** Discards everything. */
  clear(): void {
    this.rolledBack();
    this.#writing = null;
  }
}
