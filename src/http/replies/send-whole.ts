// An answer that is all there, in one write of its socket. `ServerResponse` sends the same bytes, but takes them through
// two buffers, two checks of every header and a dozen events, which costs as much as reading the request.
import { STATUS_CODES, type ServerResponse } from 'node:http';

/** How long a connection is kept that nobody uses. */
export const KEPT_IDLE_MS = 5000;

/** What headers may hold (RFC 9110, section 5.5), in ASCII. Anything else is left to `ServerResponse`, which knows what to refuse. */
const FIELD_VALUES = /^[\t\x20-\x7e]*$/;

/**
 * Sends it, where nothing about the connection is out of the ordinary: it stays open, and it is this answer's turn.
 *
 * @param headers - Names and values in turn, with `content-length` for a text.
 * @param text - Empty for an answer without a body.
 * @param isAscii - True where the text is known to be.
 * @returns False where nothing was sent, and `ServerResponse` has to.
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
  // A text of ASCII alone is the same in both encodings, and goes out as it lies in memory in this one.
  socket.write(head + text, isAscii ? 'latin1' : 'utf8', (error) => {
    if (error !== undefined && error !== null) return;
    // What the server listens to: it goes on with the connection's next request.
    Object.assign(outgoing, { finished: true });
    outgoing.emit('finish');
  });
  return true;
}

const KEPT = `Connection: keep-alive\r\nKeep-Alive: timeout=${String(KEPT_IDLE_MS / 1000)}\r\n\r\n`;

let lastText = '';
let lastSecond = -1;

/** The time as HTTP has it, which is a new one once a second, and what every answer ends its head with. */
function lastHeaders(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastText = `Date: ${new Date(second * 1000).toUTCString()}\r\n${KEPT}`;
  }
  return lastText;
}
