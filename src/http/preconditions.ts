// If-Match and If-None-Match (RFC 9110, section 13.1), as far as workflow states take them.
import { accepted, invalidMember, type Outcome, type Refusal } from '../domain/errors.js';

const STRONG_VERSION = /^"([1-9][0-9]{0,15})"$/;
const STRONG_KEY = /^"([1-9][0-9]{0,15})(?:\.([A-Za-z0-9_-]{1,128}))?"$/;
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

/** The entity tag of a key: its version, and the state that it has it in. A tree may have one state after another. */
export function keyTag(version: number, stateId: string): string {
  return `"${String(version)}.${stateId}"`;
}

/**
 * What a write expects of a key.
 *
 * @param header - The value of `If-Match`: a key's tag, its version alone (`"3"`), or `*` for no expectation.
 * @returns The expectation; or `invalid_request`.
 */
export function expectedKey(
  header: string | null,
): Outcome<{ readonly ifMatch: number | undefined; readonly ofState?: string }> {
  if (header === null || header.trim() === '*') return accepted({ ifMatch: undefined });
  const [, version, stateId] = STRONG_KEY.exec(header.trim()) ?? [];
  if (version !== undefined) {
    return accepted({ ifMatch: Number(version), ...(stateId === undefined ? {} : { ofState: stateId }) });
  }
  return invalidMember(
    '/headers/if-match',
    'must be one strong entity tag that holds the version of a key, or *',
    'the ETag of the key as it was answered, its version such as "7" (in double quotes), or *',
  );
}

const CONDITIONS = ['If-Match', 'If-None-Match'] as const;

/**
 * Looks for conditions that a write does not take: one that is passed over is a promise broken.
 *
 * @param taken - Headers that the write reads.
 * @returns A check of one request's headers: `null`, or `invalid_request` for a condition. `If-Match: *` is none.
 */
export function refuseConditions(taken: readonly string[]) {
  const others = CONDITIONS.filter((name) => !taken.includes(name)).map((name) => name.toLowerCase());
  return (header: (name: string) => string | null) => {
    for (const name of others) {
      const value = header(name);
      if (value === null || (name === 'if-match' && value.trim() === '*')) continue;
      const pointer = `/headers/${name}`;
      return invalidMember(pointer, 'is a condition that this request does not take', `no ${name}`);
    }
    return null;
  };
}

/** True where a conflict of versions is about a condition of the headers, not about a version that the body names. */
export function isOfCondition(header: (name: string) => string | null, { members }: Refusal): boolean {
  const yours = members['your_version'];
  const match = header('if-match');
  if (typeof yours === 'number')
    return match !== null && STRONG_KEY.exec(match.trim())?.[1] === String(yours);
  return (match ?? header('if-none-match')) !== null;
}

/** True where `If-None-Match` holds this version (weak comparison) or `*`. */
export function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header === etag || header.trim() === '*') return true;
  for (const [, tag] of header.matchAll(ANY_TAG)) if (tag === etag) return true;
  return false;
}
