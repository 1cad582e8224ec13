// If-Match and If-None-Match (RFC 9110, section 13.1), as far as workflow states take them.
import { accepted, invalidMember, type Outcome } from '../domain/errors.js';

const STRONG_VERSION = /^"([1-9][0-9]{0,15})"$/;
const ANY_TAG = /(?:W\/)?("[^"]*")/g;

/**
 * The version that a write expects.
 *
 * @param header - The value of `If-Match`; `*` stands for any version, so for no expectation.
 * @returns The version, `undefined` for none; or `invalid_request` for lists, weak tags and other tags.
 */
export function expectedVersion(header: string | null): Outcome<number | undefined> {
  if (header === null || header.trim() === '*') return accepted(undefined);
  const version = STRONG_VERSION.exec(header.trim())?.[1];
  if (version !== undefined) return accepted(Number(version));
  return invalidMember(
    '/headers/if-match',
    'must be one strong entity tag that holds a version, or *',
    'one tag such as "7" (in double quotes), or *',
  );
}

/** True where `If-None-Match` holds this version (weak comparison) or `*`. */
export function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header === etag || header.trim() === '*') return true;
  for (const [, tag] of header.matchAll(ANY_TAG)) if (tag === etag) return true;
  return false;
}
