// Reads that are asked for in one iteration of the event loop: they share a connection, and are sent together.
import type { Connection, Connections } from '../connections.js';
import { fault } from '../faults.js';

/** A read that waits for the end of the iteration. Fails if the read fails, after its caller was told. */
type Waiting = (connection: Connection) => Promise<void>;

export class ReadTogether {
  readonly #connections: Pick<Connections, 'use'>;
  #waiting: { readonly start: Waiting; readonly fail: (error: unknown) => void }[] = [];

  constructor(connections: Pick<Connections, 'use'>) {
    this.#connections = connections;
  }

  /**
   * @param read - Sends one statement, which has to be quick: the reads of others wait for it.
   * @throws StorageError, or what `read` throws
   */
  read<T>(read: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#waiting.length === 0) setImmediate(() => void this.#start());
    return new Promise<T>((resolve, fail) => {
      const start = async (connection: Connection) => {
        try {
          resolve(await read(connection));
        } catch (error) {
          fail(fault(error));
          throw error;
        }
      };
      this.#waiting.push({ start, fail });
    });
  }

  async #start(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      await this.#connections.use(async (connection) => {
        const results = await Promise.allSettled(waiting.map(({ start }) => start(connection)));
        for (const result of results) if (result.status === 'rejected') throw result.reason;
      });
    } catch (error) {
      // Without a connection, none has started. Nothing changes for those that have ended.
      for (const { fail } of waiting) fail(error);
    }
  }
}
