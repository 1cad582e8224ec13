// Ids of requests, to find an answer in the log.
import { randomUUID } from 'node:crypto';

const SANE = /^[A-Za-z0-9][A-Za-z0-9._:@/+=-]{0,127}$/;

/** The caller's `X-Request-Id` if it is safe for a log, else a new id. Not a secret. */
export function requestIdOf(header: string | null): string {
  return header !== null && SANE.test(header) ? header : `req_${randomUUID()}`;
}
