// Records that transactions in progress have changed, or keys that they hold. Nothing of them is committed yet.

export class InProgress {
  readonly #ids = new Map<object, Set<string>>();

  add(transaction: object, id: string): void {
    const ids = this.#ids.get(transaction);
    if (ids === undefined) this.#ids.set(transaction, new Set([id]));
    else ids.add(id);
  }

  has(id: string): boolean {
    for (const ids of this.#ids.values()) if (ids.has(id)) return true;
    return false;
  }

  /** A transaction has been committed or rolled back. */
  ended(transaction: object): void {
    this.#ids.delete(transaction);
  }
}
