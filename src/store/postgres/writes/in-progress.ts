// Records that transactions in progress have changed, or keys that they hold. Nothing of them is committed yet.

/** @typeParam T - A record. */
export class InProgress<T = never> {
  /** By transaction and id: the record as it was committed before, if that is known. */
  readonly #before = new Map<object, Map<string, T | undefined>>();

  add(transaction: object, id: string, before?: T): void {
    const records = this.#before.get(transaction);
    if (records === undefined) this.#before.set(transaction, new Map([[id, before]]));
    else if (!records.has(id)) records.set(id, before);
  }

  has(id: string): boolean {
    for (const records of this.#before.values()) if (records.has(id)) return true;
    return false;
  }

  /** A record as it was committed before it was changed; `undefined` if that is not known, or there was none. */
  before(id: string): T | undefined {
    for (const records of this.#before.values()) if (records.has(id)) return records.get(id);
    return undefined;
  }

  /** A transaction has been committed or rolled back. */
  ended(transaction: object): void {
    this.#before.delete(transaction);
  }
}
