// The credentials in the headers of a request.
import type { Credentials } from '../../ports/host.js';

/** The scheme, before a space or at the end. */
const BEARER = /^Bearer(?=[ \t]|$)/i;

/**
 * @param header - Returns a request header by its lower-case name.
 * @param token - The bearer token of a request that has no `Authorization` header.
 */
export function credentialsOf(
  header: (name: string) => string | null,
  token: string | null = null,
): Credentials {
  const authorization = header('authorization');
  return {
    bearer: authorization === null ? token : bearerOf(authorization),
    sessionId: header('x-agent-session-id'),
    sessionName: header('x-agent-session-name'),
  };
}

/** The token as it was sent, also where it can be none; `null` for another scheme, such as that of a proxy. */
function bearerOf(authorization: string): string | null {
  const scheme = BEARER.exec(authorization)?.[0];
  return scheme === undefined ? null : authorization.slice(scheme.length).trim();
}
