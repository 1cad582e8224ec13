// One connection of the driver, with what the store needs beyond it. Knows no table.
import { Socket } from 'node:net';
import pg from 'pg';
import { parameter } from '../tables/stored-text.js';

/**
 * A connection that sends statements together which are asked for in one turn of the event loop, and texts with U+0000 in
 * the form in which they are stored.
 *
 * @param isPooler - What it prepares would be in another session later, so it prepares nothing under a name.
 */
export class Client extends pg.Client {
  constructor(config: pg.ClientConfig, isPooler: boolean) {
    super(config);
    const query: unknown = Reflect.get(pg.Client.prototype, 'query');
    if (typeof query !== 'function') return;
    const together = new Together();
    Object.defineProperty(this, 'query', {
      value: (asked: unknown, ...rest: readonly unknown[]): unknown => {
        together.hold(streamOf(this));
        const given = rest.map((one) => (Array.isArray(one) ? parameter(one) : one));
        return Reflect.apply(query, this, [prepared(asked, isPooler), ...given]);
      },
    });
  }
}

function prepared(asked: unknown, isPooler: boolean): unknown {
  if (typeof asked !== 'object' || asked === null) return asked;
  const values = 'values' in asked ? { values: parameter(asked.values) } : {};
  return isPooler ? { ...asked, ...values, name: undefined } : { ...asked, ...values };
}

/** Holds back what is written to a stream until the promises of this turn of the event loop have gone on. */
class Together {
  #isHeld = false;

  hold(stream: Socket | undefined): void {
    if (this.#isHeld || stream === undefined) return;
    this.#isHeld = true;
    stream.cork();
    process.nextTick(() => {
      this.#isHeld = false;
      stream.uncork();
    });
  }
}

/** The socket of a connection, which the types of `pg` do not show. */
function streamOf(client: pg.ClientBase): Socket | undefined {
  const connection: unknown = Reflect.get(client, 'connection');
  if (typeof connection !== 'object' || connection === null || !('stream' in connection)) return undefined;
  return connection.stream instanceof Socket ? connection.stream : undefined;
}

/** How long the server has to close a connection that was ended, in milliseconds. It may be silent. */
const GOODBYE_MS = 1_000;

/** Closes a connection that was ended if the server does not. Keeps no process alive for that. */
export function destroyLater(client: pg.ClientBase): void {
  setTimeout(() => destroyNow(client), GOODBYE_MS).unref();
}

/** Closes a connection at once. Statements without an answer fail as if it were lost. */
export function destroyNow(client: pg.ClientBase): void {
  streamOf(client)?.destroy();
}
