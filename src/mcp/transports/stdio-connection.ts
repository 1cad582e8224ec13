// The connection on standard input and output. It knows which requests of the client have no answer yet, and answers
// what is no message.
import type { Readable, Writable } from 'node:stream';
import { PassThrough } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
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

export class WatchedTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** The SDK's transport writes. It would leave what it cannot read without an answer, so it reads nothing. */
  readonly #writer: StdioServerTransport;
  readonly #lines: LineSplitter;
  readonly #batches: Batches;
  readonly #open = new Set<unknown>();
  #settled: () => void = () => undefined;

  /** @param bytesMax - Longest message. A longer one closes the connection. */
  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
    bytesMax: number,
  ) {
    // Each answer that a slow reader delays listens to the output. Node would print a warning at the eleventh.
    output.setMaxListeners(0);
    this.#writer = new StdioServerTransport(new PassThrough(), output);
    this.#lines = new LineSplitter(bytesMax);
    this.#batches = new Batches((answers) => this.#write(answers));
  }

  start(): Promise<void> {
    const writer = this.#writer;
    writer.onclose = () => {
      this.input.off('data', this.#read).pause();
      this.#open.clear();
      this.#settled();
      this.onclose?.();
    };
    writer.onerror = (error) => this.onerror?.(error);
    this.input.on('data', this.#read);
    return writer.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const isAnswer = 'id' in message && !('method' in message);
    try {
      if (!isAnswer || !this.#batches.keep(message.id, message)) await this.#writer.send(message);
    } finally {
      if (isAnswer) this.#end(message.id);
    }
  }

  close(): Promise<void> {
    return this.#writer.close();
  }

  /** Resolves when every request has its answer, or the connection is closed. */
  async answered(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#settled = resolve));
  }

  readonly #read = (chunk: Buffer): void => {
    const lines = this.#lines.take(chunk);
    if (lines === null) {
      this.onerror?.(new Error('A message is too long'));
      void this.close();
      return;
    }
    for (const text of lines) this.#take(text);
  };

  #take(text: string): void {
    const line = lineOf(text);
    if (line === null) return;
    if (line.isBatch) this.#batches.add(line);
    else for (const error of line.errors) this.#write(error);
    for (const message of line.messages) this.#note(message);
    for (const message of line.messages) {
      try {
        this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  /** Faults of the output are the writer's. */
  #write(value: unknown): void {
    this.output.write(`${JSON.stringify(value)}\n`);
  }

  #note(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && message.method !== LASTING) this.#open.add(message.id);
    // A request that the client cancels gets no answer.
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      this.#batches.drop(message.params?.['requestId']);
      this.#end(message.params?.['requestId']);
    }
  }

  #end(id: unknown): void {
    this.#open.delete(id);
    if (this.#open.size === 0) this.#settled();
  }
}
