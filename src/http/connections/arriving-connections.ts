// Lets all callers who connect at the same time in before any of them is answered. The event loop accepts one connection in each
// iteration: what the first callers ask for would be done in between, and the last one would wait for all of it.
import { setImmediate as nextIteration } from 'node:timers/promises';

/** More may be let in before the first is answered; but a caller waits for no more iterations than these. */
const ITERATIONS_MAX = 32;

export class ArrivingConnections {
  #hasArrived = false;
  #letIn: Promise<void> | null = null;

  /** A connection was accepted. */
  add(): void {
    this.#hasArrived = true;
  }

  /** Resolves once an iteration of the event loop has accepted none; `undefined` if none has been accepted. */
  letIn(): Promise<void> | undefined {
    if (this.#letIn === null && this.#hasArrived) this.#letIn = this.#untilNone();
    return this.#letIn ?? undefined;
  }

  async #untilNone(): Promise<void> {
    // The end of the present iteration.
    await nextIteration();
    for (let iteration = 0; this.#hasArrived && iteration < ITERATIONS_MAX; iteration += 1) {
      this.#hasArrived = false;
      await nextIteration();
    }
    this.#hasArrived = false;
    this.#letIn = null;
  }
}
