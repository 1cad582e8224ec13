// Passes plain requests directly from Node's server to a route and back. Converting to and from a request and
// response of the fetch API costs as much as the answer itself. All other requests go through Hono, with the
// same answers. Requests that the fetch API cannot express are refused here.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';
import type { ServerContext } from './server-context.js';
import type { Inbound } from './requests/inbound.js';
import { refused } from '../domain/errors.js';
import { hostOf, pathOf } from './requests/request-target.js';
import { answerTo, type Answer, type Target } from './serve.js';
import { sendStream } from './replies/send-stream.js';
import { sendWhole } from './replies/send-whole.js';
import { honoPath } from './unrouted.js';
import type { TextMembers } from './requests/validate.js';

/** @returns False if the request is not plain; then nothing has happened. */
export type Direct = (incoming: IncomingMessage, outgoing: ServerResponse, stopping: AbortSignal) => boolean;

/** Paths without encoded characters, dot segments and empty segments. */
const PLAIN_PATH = /^(?:\/[A-Za-z0-9_][A-Za-z0-9_.~:-]*)+$/;
/** Characters that no URL has (RFC 3986): unencoded bytes outside of ASCII, a fragment, a backslash. */
const NO_URL = /[^\x21-\x7e]|[#\\]/;

/** Up to this size, a body may arrive together with its head, and is then available before the request is handled. */
const SMALL_BODY_BYTES_MAX = 64 * 1024;

class NodeInbound implements Inbound {
  readonly method: string;
  /** A plain path has no encoded characters. */
  readonly decodable = true;
  #gone: AbortController | null = null;

  constructor(
    readonly message: IncomingMessage,
    private readonly outgoing: ServerResponse,
    readonly path: string,
    readonly search: string | null,
    private readonly found: TextMembers | null,
    readonly stopping: AbortSignal,
  ) {
    this.method = message.method ?? 'GET';
  }

  get host(): string | null {
    return hostOf(this.message);
  }

  get gone(): AbortSignal {
    if (this.#gone === null) {
      const controller = new AbortController();
      this.outgoing.once('close', () => {
        if (!this.outgoing.writableFinished) controller.abort();
      });
      this.#gone = controller;
    }
    return this.#gone.signal;
  }

  header(name: string): string | null {
    const value = this.message.headers[name];
    return typeof value === 'string' ? value : (value?.join(', ') ?? null);
  }

  params(): TextMembers | null {
    return this.found;
  }

  stream(): null {
    return null;
  }
}

function send(outgoing: ServerResponse, { status, text, bytes, stream, headers }: Answer): void {
  if (stream !== undefined) {
    outgoing.writeHead(status, headers).flushHeaders();
    void sendStream(outgoing, stream);
    return;
  }
  if (text === null) {
    if (!(isBodiless(status) && sendWhole(outgoing, status, headers, '', true))) {
      outgoing.writeHead(status, headers).end();
    }
    return;
  }
  const length = bytes ?? Buffer.byteLength(text);
  headers.push('content-length', String(length));
  const isAscii = length === text.length;
  if (!sendWhole(outgoing, status, headers, text, isAscii)) {
    outgoing.writeHead(status, headers).end(text, isAscii ? 'latin1' : 'utf8');
  }
}

/** True for statuses whose answers have neither a body nor a length. */
function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

/** Bodies of unknown or excessive length go to Hono's server, which can abort their reading. */
function hasPlainBody({ headers }: IncomingMessage, bytesMax: number): boolean {
  if (headers['transfer-encoding'] !== undefined || headers.expect !== undefined) return false;
  const length = headers['content-length'];
  return length === undefined || Number(length) <= bytesMax;
}

const notATarget = () =>
  refused('malformed_request', 'The request target must be a path, an http URL, or * with OPTIONS', {
    expected: 'a path and a query in ASCII, everything else percent-encoded',
  });
const notCoded = () => refused('malformed_request', 'The only transfer coding of a body is chunked');
const notThisVersion = () => refused('malformed_request', 'HTTP/1.0 and HTTP/1.1 are spoken here');
const noTunnel = () => refused('method_unknown', 'No path takes CONNECT', { method: 'CONNECT' });
const notExpected = () => refused('expectation_failed', 'Only 100-continue can be expected');

/**
 * @param targets - The target of each route, by method and path.
 * @param unrouted - The target for requests without a route.
 */
export function createDirect(
  server: ServerContext,
  targets: readonly { readonly method: string; readonly path: string; readonly target: Target }[],
  unrouted: Target,
): Direct {
  const router = new SmartRouter<Target>({ routers: [new RegExpRouter(), new TrieRouter()] });
  for (const { method, path, target } of targets) router.add(method, honoPath(path), target);
  const malformed: Target = { ...unrouted, bound: notATarget };
  const unexpected: Target = { ...unrouted, bound: notExpected };
  const coded: Target = { ...unrouted, bound: notCoded };
  const otherVersion: Target = { ...unrouted, bound: notThisVersion };
  const tunnel: Target = { ...unrouted, bound: noTunnel };

  /** The target for a request that the fetch API cannot express; `null` if its host and target are valid. */
  function irregular(incoming: IncomingMessage, url: string): Target | null {
    const { expect, 'transfer-encoding': coding } = incoming.headers;
    if (coding !== undefined && coding.toLowerCase() !== 'chunked') return coded;
    if (incoming.httpVersionMajor !== 1) return otherVersion;
    if (expect !== undefined && expect.toLowerCase() !== '100-continue') return unexpected;
    if (incoming.method === 'CONNECT') return tunnel;
    if (url === '*' && incoming.method === 'OPTIONS') return unrouted;
    return !url.startsWith('/') || NO_URL.test(url) || hostOf(incoming) === null ? malformed : null;
  }

  return (incoming, outgoing, stopping) => {
    const { method, headers } = incoming;
    const url = pathOf(incoming.url ?? '');
    const at = url.indexOf('?');
    const path = at < 0 ? url : url.slice(0, at);
    const search = at < 0 ? null : url.slice(at + 1);
    const irregularly = irregular(incoming, url);
    if (irregularly !== null) {
      // A body that may follow is not read.
      outgoing.shouldKeepAlive = false;
      const inbound = new NodeInbound(incoming, outgoing, path, search, null, stopping);
      void answerTo(server, irregularly, inbound, (found) => send(outgoing, found));
      return true;
    }
    if (!PLAIN_PATH.test(path)) return false;
    if (!hasPlainBody(incoming, server.limits.bodyBytesMax)) return false;
    const [matches, stash] = router.match(method ?? '', path);
    const [match] = matches;
    if (match === undefined) return false;
    const [target, places] = match;
    const params = paramsOf(places, stash);
    const inbound = new NodeInbound(incoming, outgoing, path, search, params, stopping);
    const answer = () => void answerTo(server, target, inbound, (found) => send(outgoing, found));
    const length = Number(headers['content-length'] ?? 0);
    // A body that came with its head is available in the next tick. A refusal because of the head does not wait
    // for the body.
    if (length > 0 && length <= SMALL_BODY_BYTES_MAX) process.nextTick(answer);
    else answer();
    return true;
  };
}

/** Hono's routers return either the texts or their indexes in a list of texts. */
function paramsOf(
  places: Readonly<Record<string, string | number>>,
  stash: readonly string[] | undefined,
): TextMembers | null {
  const params: Record<string, string> = {};
  for (const name in places) {
    const place = places[name];
    const text = typeof place === 'number' ? stash?.[place] : place;
    if (text !== undefined) params[name] = text;
  }
  return params;
}
