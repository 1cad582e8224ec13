// Requests for a protocol other than WebSocket, such as `h2c`. A server may ignore such an upgrade (RFC 9110, section
// 7.8). Node has detached the connection from its server by then. This attaches it again and puts back the
// request, without its `Upgrade` header.
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** True if the client asks for a WebSocket. */
export function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.trim().toLowerCase() === 'websocket';
}

/**
 * Lets the server answer the request as if it did not ask for an upgrade.
 *
 * @param head - The bytes that were read after the request's head.
 */
export function passOverUpgrade(
  server: Server,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  // The idle time that Node set after the earlier answer does not apply to this request.
  request.socket.setTimeout(0);
  socket.unshift(Buffer.concat([headOf(request), head]));
  server.emit('connection', socket);
}

function headOf({ method = 'GET', url = '/', httpVersion, rawHeaders }: IncomingMessage): Buffer {
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.toLowerCase() !== 'upgrade') text += `${name}: ${rawHeaders[at + 1] ?? ''}\r\n`;
  }
  return Buffer.from(`${text}\r\n`, 'latin1');
}
