// The connection on standard input and output. It knows which requests of the client have no answer yet, and answers
// what is no message. The SDK's transport would leave that without an answer, and drop open requests when the input ends.
import type { Readable, Writable } from 'node:stream';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { Batches } from './batches.js';
import { lineOf, LineSplitter } from './lines.js';

/** The request that lasts as long as the connection. */
const LASTING = 'subscriptions/listen';

export class StdioConnection implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #lines: LineSplitter;
  readonly #batches = new Batches((answers) => void this.#write(answers));
  /** The ids of requests without an answer, and the writes that are under way. */
  readonly #open = new Set<unknown>();
  #isClosed = false;
  #settled: () => void = () => undefined;

  /** @param bytesMax - Longest message. A longer one closes the connection. */
  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
    bytesMax: number,
  ) {
    this.#lines = new LineSplitter(bytesMax);
  }

  start(): Promise<void> {
    this.input.on('data', this.#read).once('end', this.#readRest);
    // Stays after the end of the connection: a write may fail later.
    this.output.on('error', (error) => this.#fail(error));
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const isAnswer = 'id' in message && !('method' in message);
    const isKept = isAnswer && this.#batches.collect(message.id, message);
    const written = isKept ? Promise.resolve() : this.#write(message);
    if (isAnswer) this.#end(message.id);
    return written;
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    this.input.off('data', this.#read).off('end', this.#readRest).pause();
    this.#open.clear();
    this.#settled();
    this.onclose?.();
    return Promise.resolve();
  }

  /** Resolves when every request has its answer, or the connection is closed. */
  async answered(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#settled = resolve));
  }

  readonly #read = (chunk: Buffer): void => {
    const lines = this.#lines.push(chunk);
    if (lines === null) this.#fail(new Error('A message is too long'));
    else for (const line of lines) this.#receive(line);
  };

  readonly #readRest = (): void => this.#receive(this.#lines.rest());

  #receive(bytes: Buffer): void {
    const line = lineOf(bytes);
    if (line === null) return;
    if (line.isBatch) this.#batches.add(line);
    else for (const error of line.errors) void this.#write(error);
    for (const message of line.messages) this.#note(message);
    for (const message of line.messages) {
      try {
        this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  /** Resolves when the output has taken all of it. If it fails, the connection ends. */
  #write(value: unknown): Promise<void> {
    const writing = {};
    this.#open.add(writing);
    return new Promise((resolve) => {
      this.output.write(`${JSON.stringify(value)}\n`, () => {
        this.#end(writing);
        resolve();
      });
    });
  }

  #fail(error: Error): void {
    if (this.#isClosed) return;
    this.onerror?.(error);
    void this.close();
  }

  #note(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && message.method !== LASTING) this.#open.add(message.id);
    // A request that the client cancels gets no answer.
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      this.#batches.drop(message.params?.['requestId']);
      this.#end(message.params?.['requestId']);
    }
  }

  #end(open: unknown): void {
    this.#open.delete(open);
    if (this.#open.size === 0) this.#settled();
  }
}
