// Refuses requests over a socket that the fetch API cannot express, so that Hono cannot route them. The answer has
// the same form as any other.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail } from '../domain/errors.js';
import { sendReply } from './replies/send-reply.js';
import { headerOf } from './requests/fetch-inbound.js';
import type { Inbound } from './requests/inbound.js';
import { hostOf, pathOf } from './requests/request-target.js';
import { answerTo, type Target } from './serve.js';
import type { ServerContext } from './server-context.js';

/** @returns True if the request is malformed. It is answered then, and the connection closes. */
export type RefuseMalformed = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

/** Characters that no URL has (RFC 3986): unencoded bytes outside of ASCII, a fragment, a backslash. */
const NO_URL = /[^\x21-\x7e]|[#\\]/;

const notATarget = () =>
  fail('malformed_request', 'The request target must be a path, an http URL, or * with OPTIONS', {
    expected: 'a path and a query in ASCII, everything else percent-encoded',
  });
const notCoded = () => fail('malformed_request', 'The only transfer coding of a body is chunked');
const notThisVersion = () => fail('malformed_request', 'HTTP/1.0 and HTTP/1.1 are spoken here');
const noTunnel = () => fail('method_unknown', 'No path takes CONNECT', { method: 'CONNECT' });
const notExpected = () => fail('expectation_failed', 'Only 100-continue can be expected');

/** @param unrouted - The target for requests without a route; malformed requests are counted there. */
export function createMalformedHandler(server: ServerContext, unrouted: Target): RefuseMalformed {
  const malformed: Target = { ...unrouted, bound: notATarget };
  const unexpected: Target = { ...unrouted, bound: notExpected };
  const coded: Target = { ...unrouted, bound: notCoded };
  const otherVersion: Target = { ...unrouted, bound: notThisVersion };
  const tunnel: Target = { ...unrouted, bound: noTunnel };

  /** The target for a malformed request; `null` for all others. */
  function targetOf(incoming: IncomingMessage, url: string): Target | null {
    const { expect, 'transfer-encoding': coding } = incoming.headers;
    if (coding !== undefined && coding.toLowerCase() !== 'chunked') return coded;
    if (incoming.httpVersionMajor !== 1) return otherVersion;
    if (expect !== undefined && expect.toLowerCase() !== '100-continue') return unexpected;
    if (incoming.method === 'CONNECT') return tunnel;
    if (url === '*' && incoming.method === 'OPTIONS') return unrouted;
    return !url.startsWith('/') || NO_URL.test(url) || hostOf(incoming) === null ? malformed : null;
  }

  return (incoming, outgoing) => {
    const url = pathOf(incoming.url ?? '');
    const target = targetOf(incoming, url);
    if (target === null) return false;
    // A body that may follow is not read.
    outgoing.setHeader('connection', 'close');
    void answerTo(server, target, inboundOf(incoming, url), (answer) => sendReply(outgoing, answer));
    return true;
  };
}

/** The request, for the answer that refuses it. No handler waits for it or reads its body. */
function inboundOf(message: IncomingMessage, url: string): Inbound {
  const [path = '', search = null] = url.split(/\?(.*)/s, 2);
  return {
    method: message.method ?? 'GET',
    path,
    decodable: true,
    search,
    message,
    host: hostOf(message),
    gone: new AbortController().signal,
    stopping: undefined,
    header: (name) => headerOf(message, name),
    params: () => null,
    stream: () => null,
  };
}
