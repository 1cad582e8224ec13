// The answers to batches: one line for each, once all of its requests are answered.
import { isJSONRPCRequest } from '@modelcontextprotocol/server';
import type { Line } from './lines.js';

interface Batch {
  readonly open: Set<unknown>;
  readonly answers: unknown[];
}

export class Batches {
  readonly #of = new Map<unknown, Batch>();

  /** @param write - Writes the answers of a batch. */
  constructor(private readonly write: (answers: readonly unknown[]) => void) {}

  /** Notes the requests of a batch. Writes its errors if it has no request. */
  add({ messages, errors }: Line): void {
    const ids = messages.filter(isJSONRPCRequest).map(({ id }) => id);
    const batch: Batch = { open: new Set(ids), answers: [...errors] };
    for (const id of ids) this.#of.set(id, batch);
    this.#writeIfComplete(batch);
  }

  /** Keeps an answer until its batch is complete. @returns False if the answer is to no batch. */
  collect(id: unknown, answer: unknown): boolean {
    const batch = this.#of.get(id);
    batch?.answers.push(answer);
    this.drop(id);
    return batch !== undefined;
  }

  /** The request gets no answer. */
  drop(id: unknown): void {
    const batch = this.#of.get(id);
    if (batch === undefined) return;
    this.#of.delete(id);
    batch.open.delete(id);
    this.#writeIfComplete(batch);
  }

  #writeIfComplete({ open, answers }: Batch): void {
    if (open.size === 0 && answers.length > 0) this.write(answers);
  }
}
