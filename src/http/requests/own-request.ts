// Requests with a valid target and Host header (RFC 9112, section 3.2) that Hono's server refuses: an absolute
// target in upper case, a Host with an empty port. Hono routes a request that has only the path.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestFollowing } from '../../lib/signals.js';
import { pathOf } from './request-target.js';

/** A host, with or without a port, that Hono's server always accepts. */
const PLAIN_HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]+)?$/i;

/** True if Hono's server can handle the message. It always handles `TRACE`: the fetch API has no such request. */
export function isPlainTarget({ method, url = '', headers }: IncomingMessage): boolean {
  return method === 'TRACE' || (url.startsWith('/') && PLAIN_HOST.test(headers.host ?? ''));
}

/** The request for Hono's router, with a path from the root. Its headers and body are those of Node's message. */
export function ownRequest({ method = 'GET', url = '' }: IncomingMessage, outgoing: ServerResponse): Request {
  const disconnected = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) disconnected.abort();
  });
  return requestFollowing(disconnected.signal, new URL(`http://localhost${pathOf(url)}`), { method });
}
