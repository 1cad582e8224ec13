// The credentials in the headers of a request.
import type { Credentials } from '../../ports/host.js';

const BEARER = /^Bearer +([^\s]+) *$/i;

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
    bearer: authorization === null ? token : (BEARER.exec(authorization)?.[1] ?? null),
    sessionId: header('x-agent-session-id'),
    sessionName: header('x-agent-session-name'),
  };
}
