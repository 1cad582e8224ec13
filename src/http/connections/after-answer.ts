// Answers of one connection keep the order of their requests, also where Node hands over the connection itself: for an upgrade,
// for CONNECT, and for input that its parser rejects.
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Proceeds once the answer to the request before is written, unless the connection is gone by then.
 *
 * @param before - The answer to the latest request that was read from the connection.
 */
export function afterAnswer(socket: Duplex, before: ServerResponse | undefined, proceed: () => void): void {
  if (before === undefined || before.writableFinished) {
    proceed();
    return;
  }
  // Not before Node has released the answer.
  before.once('close', () =>
    setImmediate(() => {
      if (socket.writable) proceed();
    }),
  );
}
