// Names for requests, so that an answer can be found in the log.
import { randomBytes } from 'node:crypto';

const SANE = /^[A-Za-z0-9][A-Za-z0-9._:@/+=-]{0,127}$/;
const prefix = `req_${randomBytes(6).toString('base64url').replace(/[-_]/g, '0')}`;
let made = 0;

/** The caller's `X-Request-Id` where it is one that a log can hold, else a new one. Not a secret. */
export function requestIdOf(header: string | null): string {
  if (header !== null && SANE.test(header)) return header;
  made += 1;
  return `${prefix}_${made.toString(36)}`;
}
