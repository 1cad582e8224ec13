// Sends a complete answer with one write to its socket. `ServerResponse` sends the same bytes, but with two
// buffers, two checks of every header and a dozen events, which costs as much as reading the request.
import { STATUS_CODES, type ServerResponse } from 'node:http';

/** How long an idle connection is kept open. */
export const KEPT_IDLE_MS = 5000;

/**
 * Allowed header values (RFC 9110, section 5.5), in ASCII. `ServerResponse` handles all others and refuses
 * invalid ones.
 */
const FIELD_VALUES = /^[\t\x20-\x7e]*$/;

/**
 * Sends the answer if the connection is in its normal state: it stays open, and no other answer comes first.
 *
 * @param headers - Names and values alternately, with `content-length` for a text.
 * @param text - Empty for an answer without a body.
 * @param isAscii - True if the text is known to be ASCII.
 * @returns False if nothing was sent, so that `ServerResponse` has to send it.
 */
export function sendWhole(
  outgoing: ServerResponse,
  status: number,
  headers: readonly string[],
  text: string,
  isAscii: boolean,
): boolean {
  const { socket, req } = outgoing;
  if (socket === null || !socket.writable || outgoing.headersSent) return false;
  if (!outgoing.shouldKeepAlive || req.httpVersion !== '1.1') return false;
  let head = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
  let values = '';
  for (let at = 0; at < headers.length; at += 2) {
    const value = headers[at + 1] ?? '';
    values += value;
    head += `${headers[at] ?? ''}: ${value}\r\n`;
  }
  if (!FIELD_VALUES.test(values)) return false;
  head += lastHeaders();
  outgoing.statusCode = status;
  // An ASCII text is the same in both encodings; latin1 writes it without conversion.
  socket.write(head + text, isAscii ? 'latin1' : 'utf8', (error) => {
    if (error !== undefined && error !== null) return;
    // The server listens for `finish` and then handles the connection's next request.
    Object.assign(outgoing, { finished: true });
    outgoing.emit('finish');
  });
  return true;
}

const KEPT = `Connection: keep-alive\r\nKeep-Alive: timeout=${String(KEPT_IDLE_MS / 1000)}\r\n\r\n`;

let lastText = '';
let lastSecond = -1;

/** The `Date` header, which changes once a second, and the final headers of every answer. */
function lastHeaders(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastText = `Date: ${new Date(second * 1000).toUTCString()}\r\n${KEPT}`;
  }
  return lastText;
}
