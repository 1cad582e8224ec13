// What a request expects of a state's version, which versions a history has, and the failures.
import { fail } from '../errors.js';
import type { JsonObject } from '../json/json.js';

export interface ExpectedVersion {
  readonly expectedVersion?: number | undefined;
  /** The version, or a list of which it is one. */
  readonly ifMatch?: number | readonly number[] | undefined;
  /** Versions that the state must not have; `*` for any. */
  readonly ifNoneMatch?: '*' | readonly number[] | undefined;
}

/**
 * Checks in the order of RFC 9110, section 13.2.2; `expectedVersion` comes last.
 *
 * @param document - Added to a conflict as `current_data`.
 * @returns `version_conflict`; `null` if all conditions hold.
 */
export function checkVersion(
  version: number,
  { expectedVersion, ifMatch, ifNoneMatch }: ExpectedVersion,
  document?: JsonObject,
) {
  if (typeof ifMatch === 'number' && ifMatch !== version) return conflict(version, ifMatch, document);
  if (typeof ifMatch === 'object' && !ifMatch.includes(version)) return conflict(version, null, document);
  if (ifNoneMatch === '*' || ifNoneMatch?.includes(version) === true) {
    return conflict(version, null, document);
  }
  if (expectedVersion === undefined || expectedVersion === version) return null;
  return conflict(version, expectedVersion, document);
}

/** @param wanted - The one version that was expected; `null` for a list. */
function conflict(version: number, wanted: number | null, document: JsonObject | undefined) {
  const other = wanted === null ? 'which the conditions of the request exclude' : `not ${String(wanted)}`;
  return fail(
    'version_conflict',
    `The state is at version ${String(version)}, ${other}. Read it again, and write on top of what is there.`,
    {
      current_version: version,
      your_version: wanted,
      ...(document === undefined ? {} : { current_data: document }),
    },
  );
}

/**
 * Checks that a history still has a version.
 *
 * @returns `version_compacted`, or `null`.
 */
export function checkKept(version: number, oldest: number) {
  if (version >= oldest) return null;
  return fail(
    'version_compacted',
    `Version ${String(version)} is not kept any more; the oldest that is, is ${String(oldest)}.`,
    { version, oldest_version: oldest },
  );
}

/** The failure for a version that a state has not had. */
export function noVersion(version: number, newest: number) {
  return fail(
    'version_not_found',
    `The state has versions up to ${String(newest)}; there is no ${String(version)}.`,
    { current_version: newest, version },
  );
}

/** The failure for a version in a stream request that the state has not reached. */
export function notYetAt(version: number, newest: number, asked: string) {
  return fail('version_not_found', `The state is at version ${String(newest)}, not yet at ${asked}.`, {
    current_version: newest,
    version,
  });
}
