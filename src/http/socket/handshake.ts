// The opening handshake of a WebSocket: who asks, and why one is refused.
import type { IncomingMessage } from 'node:http';
import type { Actor } from '../../domain/access/actor.js';
import { ok, fail, invalidMember, type Result } from '../../domain/errors.js';
import type { Credentials } from '../../ports/host.js';
import { credentialsOf } from '../requests/credentials.js';
import { hostOf, pathOf } from '../requests/request-target.js';
import type { ServerContext } from '../server-context.js';

export const SOCKET_PATH = '/ws';
const TOKEN_PROTOCOL = 'bearer.';
/** 16 bytes in base64. */
const HANDSHAKE_KEY = /^[+/0-9A-Za-z]{22}==$/;

/** @returns Who opens a WebSocket, `null` if the caller has not identified itself yet; or why it is refused. */
export async function admit(
  context: ServerContext,
  request: IncomingMessage,
  stopping: boolean,
): Promise<Result<Actor | null>> {
  const failure = context.guard.check(hostOf(request), request.headers.origin ?? null);
  if (failure !== null) return { ok: false, failure };
  const url = pathOf(request.url ?? '');
  if (url.split('?')[0] !== SOCKET_PATH) return fail('route_not_found', 'WebSockets are opened at /ws.');
  if (url !== SOCKET_PATH)
    return invalidMember('/query', 'is not taken: a token there would end up in logs', 'no query');
  const handshake = handshakeFault(request);
  if (handshake !== null) return handshake;
  if (stopping) return fail('overloaded', 'The service is stopping.');
  const credentials = handshakeCredentials(request);
  const nobody = Object.values(credentials).every((one) => one === null);
  if (context.auth && nobody) return ok(null);
  return context.host.identify(credentials);
}

/** Browsers cannot set headers on a WebSocket, so they offer the token as a protocol. */
export function handshakeCredentials(request: IncomingMessage): Credentials {
  const offered = (headerOf(request, 'sec-websocket-protocol') ?? '').split(',').map((one) => one.trim());
  const token = offered.find((one) => one.startsWith(TOKEN_PROTOCOL))?.slice(TOKEN_PROTOCOL.length);
  return credentialsOf((name) => headerOf(request, name), token);
}

export function headerOf({ headers }: IncomingMessage, name: string): string | null {
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
