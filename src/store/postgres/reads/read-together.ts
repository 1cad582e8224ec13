// Reads that are asked for in one iteration of the event loop: they share a connection, and are sent together.
import type { Connection, Connections } from '../connection/connections.js';
import { fault, isConnectionLoss } from '../connection/faults.js';

/** A read that waits for the end of the iteration. */
interface Waiting {
  /** Reads, and tells the caller. Fails if the read fails. */
  readonly start: (connection: Connection) => Promise<void>;
  readonly fail: (error: unknown) => void;
}

export class ReadTogether {
  readonly #connections: Pick<Connections, 'use'>;
  #waiting: Waiting[] = [];

  constructor(connections: Pick<Connections, 'use'>) {
    this.#connections = connections;
  }

  /**
   * @param read - Sends one statement, or one behind a look-up. They have to be quick: the reads of others wait for them.
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
        const errors = results.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
        if (errors.length > 0) throw errors.find(isConnectionLoss) ?? errors[0];
      });
    } catch (error) {
      // Without a connection, none has started. Nothing changes for those that have ended.
      for (const { fail } of waiting) fail(error);
    }
  }
}
