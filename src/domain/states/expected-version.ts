// What a request expects of a state's version, and the failure if the version differs.
import { refused } from '../errors.js';
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
  return refused(
    'version_conflict',
    `The state is at version ${String(version)}, ${other}. Read it again, and write on top of what is there.`,
    {
      current_version: version,
      your_version: wanted,
      ...(document === undefined ? {} : { current_data: document }),
    },
  );
}
