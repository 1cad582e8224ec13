// One kept-alive HTTP/1.1 connection that sends prepared requests, one at a time. It shares the machine with what is
// measured, so it does no more for an answer than to find its status and its end.
import { connect } from 'node:net';

/**
 * @param headers - Beside `host` and the length of the body.
 * @returns The request as it goes over the wire; all of it is ASCII.
 */
export function requestText(url, { method, path, headers = {}, body = '' }) {
  const lines = Object.entries({ host: new URL(url).host, ...headers, 'content-length': body.length });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const END_OF_CHUNKS = '0\r\n\r\n';
const BUFFER_BYTES = 256 * 1024;

/** @param onAnswer - Called with the status once an answer is there whole; may send the next request. */
export function openConnection(url, onAnswer) {
  let head = '';
  /** Bytes of the body still to come; null while the head is read. */
  let left = null;
  let status = 0;
  /** The last characters of a body in chunks; null for a body with a length. */
  let tail = null;

  function take(chunk) {
    let from = 0;
    if (left === null) {
      const at = chunk.indexOf(END_OF_HEAD);
      head += chunk.latin1Slice(0, at < 0 ? chunk.length : at + 4);
      // The end may lie across two chunks; heads are short, so looking again costs nothing.
      if (at < 0 && !head.endsWith('\r\n\r\n')) return;
      from = at < 0 ? chunk.length : at + 4;
      status = Number(head.slice(9, 12));
      left = status === 304 || status === 204 ? 0 : Number(/content-length: (\d+)/i.exec(head)?.[1]);
      tail = Number.isNaN(left) && /transfer-encoding: chunked/i.test(head) ? '' : null;
      if (Number.isNaN(left) && tail === null) throw new Error(`an answer without an end: ${head}`);
      head = '';
    }
    if (tail === null) {
      left -= chunk.length - from;
      if (left > 0) return;
    } else {
      tail = (tail + chunk.latin1Slice(Math.max(from, chunk.length - END_OF_CHUNKS.length))).slice(
        -END_OF_CHUNKS.length,
      );
      if (tail !== END_OF_CHUNKS) return;
    }
    left = null;
    onAnswer(status);
  }

  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(BUFFER_BYTES),
        callback: (bytes, buffer) => {
          take(buffer.subarray(0, bytes));
          return true;
        },
      },
    });
    socket.once('error', reject);
    socket.once('connect', () =>
      resolve({ send: (text) => socket.write(text, 'latin1'), close: () => socket.destroy() }),
    );
  });
}

/** A connection for one caller that waits for each answer: `await call(text)` gives the status. */
export async function openCaller(url) {
  let answered = () => {};
  const connection = await openConnection(url, (status) => answered(status));
  return {
    call: (text) =>
      new Promise((resolve) => {
        answered = resolve;
        connection.send(text);
      }),
    close: connection.close,
  };
}
