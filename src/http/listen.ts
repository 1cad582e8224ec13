// Opens the app on a socket with clear error messages, and closes it without interrupting requests.
import { getRequestListener } from '@hono/node-server';
import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { DEFAULT_LIMITS } from '../domain/limits.js';
import { ON_EVERY_REPLY } from './replies/reply-headers.js';
import type { HttpApp } from './app.js';
import { problemReply } from './replies/problem.js';
import { LARGE_BYTES } from './requests/body.js';
import { afterAnswer } from './connections/after-answer.js';
import { QueuedAnswers } from './connections/queued-answers.js';
import { isPlainTarget, ownRequest } from './requests/own-request.js';
import { passOverUpgrade, wantsWebSocket } from './connections/pass-over-upgrade.js';
import { ArrivingConnections } from './connections/arriving-connections.js';
import { RequestsInProgress } from './requests/in-progress.js';
import { fail } from '../domain/errors.js';

/** How long an idle connection is kept open. */
const KEPT_IDLE_MS = 5000;

/** How often a stopping server looks for idle connections. */
const IDLE_CHECK_MS = 20;

type ListenFailure = 'port_taken' | 'port_forbidden' | 'address_unknown' | 'other';

/** The socket could not be opened. The message is one sentence for the user who starts the program. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly failure: ListenFailure;

  constructor(failure: ListenFailure, message: string, cause: unknown) {
    super(message, { cause });
    this.failure = failure;
  }
}

interface ListenOptions {
  readonly host: string;
  /** 0 lets the system choose one. */
  readonly port: number;
  /** How long requests in progress may take after `close` is called. Default 10 s. */
  readonly drainMs?: number;
}

export interface Listening {
  readonly host: string;
  readonly port: number;
  /** URL of the service, such as `http://127.0.0.1:4717`. */
  readonly url: string;
  /**
   * Stops accepting, ends waits, lets requests in progress finish for `drainMs`, also those whose caller has gone, then
   * closes all remaining connections. A second call returns the same promise.
   */
  close(): Promise<void>;
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): ListenError {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ListenError(
        'port_taken',
        `Port ${port} on ${host} is taken by another program; choose another, or 0 for a free one.`,
        error,
      );
    case 'EACCES':
    case 'EPERM':
      return new ListenError(
        'port_forbidden',
        `Port ${port} on ${host} may not be opened by this user.`,
        error,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ListenError('address_unknown', `${host} is not an address of this machine.`, error);
    default:
      return new ListenError('other', `Port ${port} on ${host} cannot be opened: ${error.message}.`, error);
  }
}

/** For requests that do not even form a URL, such as an impossible Host. */
function unreadable({ requestIds }: HttpApp): Response {
  const requestId = requestIds.of(null);
  const { failure } = fail('malformed_request', 'The request line or the Host header cannot be read', {
    expected: 'a host, with or without port, that gives a URL with the path',
  });
  const { status, text, headers } = problemReply(failure, requestId, false);
  return new Response(text, {
    status,
    headers: { ...headers, ...ON_EVERY_REPLY, 'x-request-id': requestId },
  });
}

function serverOf(
  app: HttpApp,
  inProgress: RequestsInProgress,
  sockets: Set<Socket>,
  stopping: AbortSignal,
): Server {
  const listener = getRequestListener(
    // HTTP/1 only, since the server below is HTTP/1.
    (request, env) => app.fetch(request, Object.assign(env, { stopping })),
    { errorHandler: () => unreadable(app) },
  );
  const options = {
    keepAliveTimeout: KEPT_IDLE_MS,
    // Duplicates of a header that may occur once become two values, which no check accepts, so neither is ignored.
    joinDuplicateHeaders: true,
    // The app itself answers a request without a Host header.
    requireHostHeader: false,
  };
  const connections = new ArrivingConnections();
  /** The current answer of each connection. */
  const answering = new WeakMap<Duplex, ServerResponse>();
  const queued = new QueuedAnswers();
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const before = answering.get(incoming.socket);
    if (before !== undefined && !before.writableFinished) queued.add(incoming.socket, outgoing);
    answering.set(incoming.socket, outgoing);
    // Once the server stops, a caller has to use another connection for its next request.
    if (stopping.aborted) outgoing.setHeader('connection', 'close');
    if (app.refuseMalformed(incoming, outgoing)) return;
    if (isPlainTarget(incoming)) {
      whenSmallBodyIsRead(incoming, () => {
        const answered = () => listener(incoming, outgoing);
        inProgress.add(connections.letIn()?.then(answered) ?? answered());
      });
      return;
    }
    const env = { incoming, outgoing, stopping, isOwn: true };
    inProgress.add(Promise.resolve(app.fetch(ownRequest(incoming, outgoing), env)));
  };
  /** No request may end the process, whatever it contains. */
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    try {
      answer(incoming, outgoing);
    } catch (error) {
      app.unparsed.broke(error, incoming.socket);
    }
  };
  const server = createServer(options, handle);
  // By default, Node drops the headers after about the first 1,000, a condition among them. Their size is bounded anyway.
  server.maxHeadersCount = 0;
  server.on('connection', (socket) => {
    // One that would upgrade to another protocol is passed back here.
    if (sockets.has(socket)) return;
    connections.add();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('checkExpectation', handle);
  server.on('upgrade', (request, socket, head) => {
    watchErrors(socket);
    afterAnswer(socket, answering.get(socket), () => {
      if (wantsWebSocket(request)) app.sockets.upgrade(request, socket, head);
      else passOverUpgrade(server, request, socket, head);
    });
  });
  server.on('connect', (_request, socket) => {
    watchErrors(socket);
    afterAnswer(socket, answering.get(socket), () => app.unparsed.connect(socket));
  });
  /** Connections whose input was rejected. Node rejects all that follows, too. */
  const rejected = new WeakSet<Duplex>();
  server.on('clientError', (error, socket) => {
    if (rejected.has(socket)) return;
    rejected.add(socket);
    const latest = answering.get(socket);
    if (latest !== undefined && cannotFollow(latest)) socket.destroy();
    // The request that failed has no answer yet: it is the latest one itself, or comes after it.
    else if (latest?.req.complete === false) app.unparsed.failed(error, socket);
    else afterAnswer(socket, latest, () => app.unparsed.failed(error, socket));
  });
  return server;
}

/** Node no longer watches the connections that it hands over. An error that nobody watches would end the process. */
function watchErrors(socket: Duplex): void {
  if (socket.listenerCount('error') === 0) socket.on('error', () => socket.destroy());
}

/** A small body usually arrives with its head. Node's parser provides it in the next tick, so that no handler waits. */
function whenSmallBodyIsRead({ headers }: IncomingMessage, proceed: () => void): void {
  const length = Number(headers['content-length'] ?? 0);
  if (length > 0 && length <= LARGE_BYTES) process.nextTick(proceed);
  else proceed();
}

/**
 * True if nothing may be written after the latest answer of a connection: it is in progress, its own request failed when it had been
 * written, or its request failed while an earlier answer is not written.
 */
function cannotFollow({ headersSent, writableFinished, socket, req }: ServerResponse): boolean {
  if (writableFinished) return !req.complete;
  return headersSent || (!req.complete && socket === null);
}

async function closeServer(
  server: Server,
  inProgress: RequestsInProgress,
  sockets: ReadonlySet<Socket>,
  drainMs: number,
): Promise<void> {
  const idle = setInterval(() => {
    server.closeIdleConnections();
    // Browsers and HTTP clients open connections in advance. Node counts one as idle only after its first request.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }, IDLE_CHECK_MS);
  let late: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => {
    late = setTimeout(() => {
      // Also those that Node has handed over: it does not know them any more.
      for (const socket of sockets) socket.destroy();
      resolve();
    }, drainMs);
  });
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearInterval(idle);
  await Promise.race([inProgress.none(), tooLate]);
  clearTimeout(late);
}

/**
 * Opens the socket.
 *
 * @returns A promise that resolves once connections are accepted.
 * @throws {@link ListenError} if the port is taken or forbidden, or the address does not belong to this machine.
 */
export function listen(app: HttpApp, options: ListenOptions): Promise<Listening> {
  const { host, drainMs = DEFAULT_LIMITS.drainMs } = options;
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // every MCP request in progress adds a listener
  const inProgress = new RequestsInProgress();
  const sockets = new Set<Socket>();
  const server = serverOf(app, inProgress, sockets, stopping.signal);
  let closed: Promise<void> | null = null;
  return new Promise((resolve, reject) => {
    // Stays registered: later errors concern connections that could not be accepted, and must not end the process.
    server.on('error', (error) => reject(listenError(error, host, options.port)));
    server.listen(options.port, host, () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : options.port;
      resolve({
        host,
        port,
        url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
        close() {
          stopping.abort();
          app.sockets.close();
          return (closed ??= closeServer(server, inProgress, sockets, drainMs));
        },
      });
    });
  });
}
