// `/ws`: admits WebSockets and keeps the open ones. Checks Host and Origin as for every request.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Actor } from '../../domain/access/actor.js';
import { fail, type Result } from '../../domain/errors.js';
import { storageFailure } from '../../ports/storage/storage.js';
import { internalFailure } from '../replies/problem.js';
import { ON_EVERY_REPLY } from '../replies/reply-headers.js';
import type { ServerContext } from '../server-context.js';
import { refuseOnSocket } from '../replies/refuse-on-socket.js';
import type { Compiler } from '../requests/validation/validate.js';
import { CLOSE, SocketConnection } from './connection.js';
import { admit, handshakeCredentials, headerOf } from './handshake.js';
import { createMessageReader } from './socket-messages.js';
import { SocketLimits } from './socket-limits.js';

/** All WebSockets of a service. */
export interface SocketServer {
  /** Accepts an HTTP upgrade, or replies with the reason against it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes all connections (1001) and accepts no more. */
  close(): void;
}

/**
 * Offered in `Sec-WebSocket-Protocol` together with a token: the reply repeats one offered protocol, which must
 * not be the token.
 */
const PROTOCOL = 'countersign';

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

  function add(connection: SocketConnection, webSocket: WebSocket): void {
    connections.add(connection);
    pings ??= setInterval(() => {
      for (const one of connections) one.ping();
    }, limits.socketPingMs).unref();
    webSocket.once('close', () => {
      connections.delete(connection);
      if (connections.size > 0 || pings === null) return;
      clearInterval(pings);
      pings = null;
    });
  }

  async function actorOf(request: IncomingMessage): Promise<Result<Actor | null>> {
    try {
      return await admit(context, request, stopped || context.draining());
    } catch (error) {
      const requestId = requestIdOf(request);
      context.logger.error({ request_id: requestId, err: error }, 'a WebSocket could not be opened');
      const failure = storageFailure(error);
      return failure === null ? internalFailure() : { ok: false, failure };
    }
  }

  async function open(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const requestId = requestIdOf(request);
    const actor = await actorOf(request);
    // The client is gone. Nothing would release its permit.
    if (socket.destroyed) return;
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
      add(connection, webSocket);
      if (stopped) connection.close(CLOSE.stopping, 'The service is stopping.');
    });
  }

  return {
    upgrade(request, socket, head) {
      open(request, socket, head).catch((error: unknown) => {
        context.logger.error(
          { request_id: requestIdOf(request), err: error },
          'a WebSocket could not be opened',
        );
        socket.destroy();
      });
    },
    close() {
      stopped = true;
      for (const connection of connections) connection.close(CLOSE.stopping, 'The service is stopping.');
    },
  };
}
