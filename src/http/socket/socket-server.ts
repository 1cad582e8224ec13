// `/ws`: admits WebSockets and keeps the open ones. Checks Host and Origin as for every request.
import { internalFailure } from '../replies/problem.js';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Actor } from '../../domain/access/actor.js';
import { ok, fail, invalidMember, type Result } from '../../domain/errors.js';
import type { Credentials } from '../../ports/host.js';
import { storageFailure } from '../../ports/storage/storage.js';
import { ON_EVERY_REPLY } from '../replies/reply-headers.js';
import type { ServerContext } from '../server-context.js';
import { refuseOnSocket } from '../replies/refuse-on-socket.js';
import { credentialsOf } from '../requests/credentials.js';
import { hostOf, pathOf } from '../requests/request-target.js';
import type { Compiler } from '../requests/validation/validate.js';
import { CLOSE, SocketConnection } from './connection.js';
import { createMessageReader } from './socket-messages.js';
import { SocketLimits } from './socket-limits.js';

/** All WebSockets of a service. */
export interface SocketServer {
  /** Accepts an HTTP upgrade, or replies with the reason against it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes all connections (1001) and accepts no more. */
  close(): void;
}

export const SOCKET_PATH = '/ws';
/**
 * Offered in `Sec-WebSocket-Protocol` together with a token: the reply repeats one offered protocol, which must
 * not be the token.
 */
const PROTOCOL = 'countersign';
const TOKEN_PROTOCOL = 'bearer.';
/** 16 bytes in base64. */
const HANDSHAKE_KEY = /^[+/0-9A-Za-z]{22}==$/;

export function createSocketServer(context: ServerContext, compiler: Compiler): SocketServer {
  const { limits } = context;
  const connections = new Set<SocketConnection>();
  const sockets = new SocketLimits(limits);
  const readMessage = createMessageReader(compiler);
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.socketMessageBytesMax,
    handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
  });
  // Other errors of an opening handshake, such as invalid offered protocols.
  server.on('wsClientError', (error, socket, request) => {
    const { failure } = fail('malformed_request', `The WebSocket cannot be opened: ${error.message}`);
    refuseOnSocket(socket, failure, requestIdOf(request));
  });
  server.on('headers', (headers, request) => {
    const all = { ...ON_EVERY_REPLY, 'x-request-id': requestIdOf(request) };
    headers.push(...Object.entries(all).map(([name, value]) => `${name}: ${value}`));
  });
  const requestIds = new WeakMap<IncomingMessage, string>();
  let pings: NodeJS.Timeout | null = null;
  let stopped = false;

  /** The same for everything about one handshake. */
  function requestIdOf(request: IncomingMessage): string {
    const id = requestIds.get(request) ?? context.requestIds.of(headerOf(request, 'x-request-id'));
    requestIds.set(request, id);
    return id;
  }

  /** `null` if the caller has not identified itself yet. */
  async function admit(request: IncomingMessage): Promise<Result<Actor | null>> {
    const failure = context.guard.check(hostOf(request), request.headers.origin ?? null);
    if (failure !== null) return { ok: false, failure };
    const url = pathOf(request.url ?? '');
    if (url.split('?')[0] !== SOCKET_PATH) return fail('route_not_found', 'WebSockets are opened at /ws.');
    if (url !== SOCKET_PATH)
      return invalidMember('/query', 'is not taken: a token there would end up in logs', 'no query');
    const handshake = handshakeFault(request);
    if (handshake !== null) return handshake;
    if (stopped || context.draining()) return fail('overloaded', 'The service is stopping.');
    const credentials = handshakeCredentials(request);
    const nobody = Object.values(credentials).every((one) => one === null);
    if (context.auth && nobody) return ok(null);
    return context.host.identify(credentials);
  }

  function join(connection: SocketConnection, gone: (left: () => void) => void): void {
    connections.add(connection);
    pings ??= setInterval(() => {
      for (const one of connections) one.ping();
    }, limits.socketPingMs).unref();
    gone(() => {
      connections.delete(connection);
      if (connections.size > 0 || pings === null) return;
      clearInterval(pings);
      pings = null;
    });
  }

  return {
    upgrade(request, socket, head) {
      const requestId = requestIdOf(request);
      const onError = () => socket.destroy();
      socket.on('error', onError);
      void admit(request)
        .catch((error: unknown): Result<never> => {
          context.logger.error({ request_id: requestId, err: error }, 'a WebSocket could not be opened');
          const failure = storageFailure(error);
          if (failure !== null) return { ok: false, failure };
          return internalFailure();
        })
        .then((actor) => {
          if (!actor.ok) {
            refuseOnSocket(socket, actor.failure, requestId, request.method);
            return;
          }
          const permit = sockets.tryAcquire(actor.value);
          if (!permit.ok) {
            refuseOnSocket(socket, permit.failure, requestId);
            return;
          }
          const held = permit.value;
          // Also if the handshake fails.
          socket.once('close', () => held.release());
          socket.off('error', onError);
          server.handleUpgrade(request, socket, head, (webSocket) => {
            const connection = new SocketConnection(
              context,
              webSocket,
              readMessage,
              requestId,
              actor.value,
              handshakeCredentials(request),
              (known) => held.identify(known),
            );
            join(connection, (left) => webSocket.once('close', left));
            if (stopped) connection.close(CLOSE.stopping, 'The service is stopping.');
          });
        });
    },
    close() {
      stopped = true;
      for (const connection of connections) connection.close(CLOSE.stopping, 'The service is stopping.');
    },
  };
}

/** Browsers cannot set headers on a WebSocket, so they offer the token as a protocol. */
function handshakeCredentials(request: IncomingMessage): Credentials {
  const offered = (headerOf(request, 'sec-websocket-protocol') ?? '').split(',').map((one) => one.trim());
  const token = offered.find((one) => one.startsWith(TOKEN_PROTOCOL))?.slice(TOKEN_PROTOCOL.length);
  return credentialsOf((name) => headerOf(request, name), token);
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}

/** The methods of the path, also without a handshake. */
const ALLOWED = ['GET', 'HEAD', 'OPTIONS'];

/** The first error of the opening handshake (RFC 6455, section 4.2.1), in the order of the RFC; `null` for none. */
function handshakeFault(request: IncomingMessage) {
  const { method = '' } = request;
  if (!ALLOWED.includes(method)) {
    return fail('method_not_allowed', `The path takes ${ALLOWED.join(', ')}, not ${method}`, {
      allowed: ALLOWED,
    });
  }
  if (method !== 'GET') return fail('malformed_request', `A WebSocket is opened by GET, not by ${method}`);
  if (!HANDSHAKE_KEY.test(headerOf(request, 'sec-websocket-key') ?? '')) {
    return fail('malformed_request', 'Sec-WebSocket-Key must be 16 bytes in base64');
  }
  if (headerOf(request, 'sec-websocket-version') !== '13') {
    return fail('upgrade_required', 'WebSockets are taken in version 13 only');
  }
  return null;
}
