// `fetch` for the requests of commands, on Node's HTTP module. Node loads its own `fetch` in several times the time that
// a command needs for everything else.
import type { IncomingMessage } from 'node:http';
import type { FetchFunction, FetchResponse } from '../../client/index.js';

/**
 * Sends a request as `fetch` does. Fails with a `TypeError` that has the cause, like `fetch`, which still sends what
 * takes long anyway: streams, and requests over TLS.
 */
export const httpFetch: FetchFunction = (url, sent) => {
  const target = new URL(url);
  const { method, headers, body, signal } = sent;
  if (target.protocol !== 'http:' || headers['accept'] === 'text/event-stream') return fetch(url, sent);
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  // An import of this module would evaluate all of its exports, among them those of `fetch`.
  const { request } = process.getBuiltinModule('node:http');
  return new Promise((resolve, reject) => {
    const failed = (cause: unknown) => reject(new TypeError('fetch failed', { cause }));
    if (signal.aborted) {
      failed(signal.reason);
      return;
    }
    // A signal that Node has would also end the connection later, while it waits for the next request.
    const sending = request(target, { method, headers: { ...headers, ...length } });
    const abort = () => sending.destroy(new Error('The request was aborted'));
    signal.addEventListener('abort', abort, { once: true });
    sending
      .on('response', (response) => resolve(responseOf(response)))
      .on('error', failed)
      .on('close', () => signal.removeEventListener('abort', abort))
      .end(body);
  });
};

function responseOf(response: IncomingMessage): FetchResponse {
  response.on('error', () => undefined); // whoever reads the body gets the error; an abort may come when nobody does
  const status = response.statusCode ?? 0;
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: {
      get: (name) => {
        const value = response.headers[name.toLowerCase()];
        return typeof value === 'object' ? value.join(', ') : (value ?? null);
      },
    },
    body: null,
    text: async () => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of chunksOf(response)) chunks.push(chunk);
      return new TextDecoder().decode(Buffer.concat(chunks));
    },
  };
}

async function* chunksOf(response: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response) yield Buffer.from(chunk);
  } catch (cause) {
    throw new TypeError('terminated', { cause });
  }
}
