// A thread that writes batches and waits for the disk, while the main thread handles requests.
import { Worker } from 'node:worker_threads';
import { CommitUnknownError } from '../../../ports/storage/storage.js';
import type { StoreLimits } from '../../limits.js';
import type { BoundStatement, RowSink } from '../writes/bound.js';
import { WRITING_ENTRY } from './writing-entry.js';
import type {
  NewStatement,
  WritingAnswer,
  WritingMessage,
  WritingRequest,
  WritingSetup,
} from './writing-protocol.js';

/** Heap limit of the thread, which holds the rows of one commit. */
const HEAP_MB_MAX = 128;

/**
 * Collects the rows of one commit. The values of all rows are in one array: an array for each row doubles the time that it
 * takes to hand them over.
 */
export class RowBatch implements RowSink {
  readonly indices: number[] = [];
  readonly values: unknown[] = [];
  /** The number of values up to the end of each row. */
  readonly #ends: number[] = [];
  #characters = 0;

  constructor(private readonly indexOf: (statement: BoundStatement, parameters: number) => number) {}

  get size(): number {
    return this.indices.length;
  }

  /** Number of characters of all texts ever added, including removed rows. */
  get characters(): number {
    return this.#characters;
  }

  /** Removes all rows after the first `size`. */
  cut(size: number): void {
    this.indices.length = size;
    this.#ends.length = size;
    this.values.length = this.#ends.at(-1) ?? 0;
  }

  row(statement: BoundStatement, values: readonly unknown[]): void {
    this.indices.push(this.indexOf(statement, values.length));
    for (const value of values) {
      this.values.push(value);
      if (typeof value === 'string') this.#characters += value.length;
    }
    this.#ends.push(this.values.length);
  }
}

interface Waiting {
  readonly resolve: (answer: WritingAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** A thread with its own connection to the file. */
export class WritingThread {
  readonly #setup: WritingSetup;
  readonly #indices = new Map<BoundStatement, number>();
  #unsent: NewStatement[] = [];
  #worker: Worker | null = null;
  #ready = false;
  #gone = false;
  #waiting: Waiting | null = null;

  constructor(path: string, limits: StoreLimits, owner: string | null) {
    this.#setup = { path, limits, owner };
  }

  /** False once the thread has ended unexpectedly. */
  get usable(): boolean {
    return !this.#gone;
  }

  /** Starts the thread, unless it was started before. A first batch would wait some 50 ms for it. */
  start(): void {
    if (this.#worker !== null || this.#gone) return;
    try {
      this.#worker = this.#newWorker();
    } catch {
      // The system gives no thread: the main thread writes.
      this.#gone = true;
    }
  }

  batch(): RowBatch {
    return new RowBatch((statement, parameters) => this.#indexOf(statement, parameters));
  }

  /**
   * Writes a batch as one commit. Only one call may be in progress.
   *
   * @param wroteHere - True if the main thread has written since the last batch.
   * @returns Resolves when the batch is on disk, or nothing of it was written.
   * @throws CommitUnknownError - The thread ended while it wrote.
   */
  write({ indices, values }: RowBatch, wroteHere: boolean): Promise<WritingAnswer> {
    this.start();
    const worker = this.#worker;
    if (worker === null) return Promise.resolve('failed');
    const newStatements = this.#unsent;
    this.#unsent = [];
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      const request: WritingRequest = { newStatements, indices, values, wroteHere };
      worker.postMessage(request);
    });
  }

  /** Makes the thread close its connection and end. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === null || this.#gone) return;
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.postMessage('close');
    await ended;
  }

  #newWorker(): Worker {
    const worker = new Worker(WRITING_ENTRY, {
      workerData: this.#setup,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    });
    worker.on('message', (message: WritingMessage) => {
      if (message === 'ready') this.#ready = true;
      else this.#dequeue()?.resolve(message);
    });
    worker.on('error', (cause) => this.#end(cause));
    worker.on('exit', () => this.#end(null));
    return worker;
  }

  #end(cause: unknown): void {
    this.#gone = true;
    const waiting = this.#dequeue();
    if (this.#ready) waiting?.reject(new CommitUnknownError('The thread that writes has ended', { cause }));
    else waiting?.resolve('failed');
  }

  /** Who waits for an answer; nobody does any more. */
  #dequeue(): Waiting | null {
    const waiting = this.#waiting;
    this.#waiting = null;
    return waiting;
  }

  #indexOf(statement: BoundStatement, parameters: number): number {
    const known = this.#indices.get(statement);
    if (known !== undefined) return known;
    const index = this.#indices.size;
    this.#indices.set(statement, index);
    this.#unsent.push({ sql: statement.sql, parameters });
    return index;
  }
}
