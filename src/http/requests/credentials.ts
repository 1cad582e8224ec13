// The credentials in the headers of a request.
import type { Credentials } from '../../ports/host.js';

/** The scheme, and no other name that begins with it (a token of RFC 9110, section 5.6.2). */
const BEARER = /^Bearer(?![!#$%&'*+.^_`|~0-9A-Z-])/i;

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
