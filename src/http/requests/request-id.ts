// Ids of requests, to find an answer in the log.
import { randomBytes } from 'node:crypto';

const SANE = /^[A-Za-z0-9][A-Za-z0-9._:@/+=-]{0,127}$/;
const prefix = `req_${randomBytes(6).toString('base64url').replace(/[-_]/g, '0')}`;
let made = 0;

/** The caller's `X-Request-Id` if it is safe for a log, else a new id. Not a secret. */
export function requestIdOf(header: string | null): string {
  if (header !== null && SANE.test(header)) return header;
  made += 1;
  return `${prefix}_${made.toString(36)}`;
}
