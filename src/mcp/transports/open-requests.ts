// A transport that knows which requests of the client have no answer yet.
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';

/** The request that lasts as long as the connection. */
const LASTING = 'subscriptions/listen';

export class WatchedTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #open = new Set<unknown>();
  #settled: () => void = () => undefined;

  constructor(private readonly inner: Transport) {}

  start(): Promise<void> {
    const { inner } = this;
    inner.onmessage = (message, extra) => {
      this.#note(message);
      this.onmessage?.(message, extra);
    };
    inner.onclose = () => {
      this.#open.clear();
      this.#settled();
      this.onclose?.();
    };
    inner.onerror = (error) => this.onerror?.(error);
    return inner.start();
  }

  async send(...[message, options]: Parameters<Transport['send']>): Promise<void> {
    try {
      await this.inner.send(message, options);
    } finally {
      if ('id' in message && !('method' in message)) this.#end(message.id);
    }
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  /** Resolves when every request has its answer, or the connection is closed. */
  async answered(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#settled = resolve));
  }

  #note(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && message.method !== LASTING) this.#open.add(message.id);
    // A request that the client cancels gets no answer.
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
      this.#end(message.params?.['requestId']);
  }

  #end(id: unknown): void {
    this.#open.delete(id);
    if (this.#open.size === 0) this.#settled();
  }
}
