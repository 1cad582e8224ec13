// Sends a failure on a connection without a response object: Node's parser rejected the request, or the request
// asks for another protocol. Closes the connection.
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Failure } from '../../domain/errors.js';
import { ON_EVERY_REPLY } from './reply-headers.js';
import { problemReply } from './problem.js';

/**
 * @param method - Of the request, if it could be read. The answer to `HEAD` has no body.
 * @returns The status of the answer.
 */
export function refuseOnSocket(socket: Duplex, failure: Failure, requestId: string, method?: string): number {
  const { status, text, headers } = problemReply(failure, requestId, false);
  const body = text ?? '';
  const all = {
    connection: 'close',
    ...headers,
    ...ON_EVERY_REPLY,
    'x-request-id': requestId,
    'content-length': String(Buffer.byteLength(body)),
    date: new Date().toUTCString(),
  };
  const sent = method === 'HEAD' ? '' : body;
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  // Destroys the socket, so that a client that never closes its end does not keep ours open.
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${sent}`);
  return status;
}
