// The base of a write: a version in its request, or the version that its session last read.
import { ok, fail, invalidMember, type Result } from '../errors.js';
import type { JsonObject } from '../json/json.js';
import { overlaps } from '../json/pointer.js';
import type { ReadCursor } from '../records/read-cursor.js';

/** @param pointer - Where `on_conflict` stands, without a base that there could be a conflict with. */
export const withoutBase = (pointer: string) =>
  invalidMember(pointer, 'has no effect without base_version', 'base_version beside it');

/**
 * The failure for a base that is newer than the state.
 *
 * @param document - Added as `current_data`.
 */
export function baseTooNew(wanted: number, version: number, document: JsonObject) {
  return fail(
    'version_conflict',
    `base_version is ${String(wanted)}, but the state is only at version ${String(version)}. Name the version that you have read.`,
    { current_version: version, your_version: wanted, current_data: document },
  );
}

/** What a session last read, as the base of its next write. */
interface LastRead {
  readonly cursor: ReadCursor;
  /** True if the session has read parts of that version only. */
  readonly inPart: boolean;
}

interface WriteOnLastRead {
  /** True if a session writes. Other callers have no version that they last read. */
  readonly isSession: boolean;
  /** True if the write replaces the whole document. */
  readonly isWhole: boolean;
  /** The only location that the write changes, if it says so. */
  readonly within?: string | undefined;
}

/**
 * The base of a write on what its session last read. If the session has read only parts, the base of a patch is
 * the version of the first part.
 *
 * @returns The base; or `base_unknown`.
 */
export function lastReadBase(
  cursor: ReadCursor | null,
  version: number,
  { isSession, isWhole, within }: WriteOnLastRead,
): Result<LastRead> {
  if (cursor === null || cursor.version > version) {
    const why = isSession
      ? 'This session has not read the state yet'
      : 'Only a session has a version that it last read';
    return fail(
      'base_unknown',
      `${why}, so nobody can tell what the write was made on. Read the state, and write on top of what it says; or name the version that you read as base_version.`,
      { current_version: version },
    );
  }
  const inPart = cursor.version === 0;
  if (!inPart) return ok({ cursor, inPart });
  if (isWhole) return readInPart(cursor, version);
  if (within !== undefined && !cursor.parts.some(({ pointer }) => overlaps(pointer, within)))
    return notRead(cursor, within, version);
  const first = cursor.parts[0]?.version ?? 1;
  return ok({ cursor: { ...cursor, version: first, ownVersion: first }, inPart });
}

/** The failure for a location that the session has not read, although it has read others. */
function notRead({ parts }: ReadCursor, within: string, version: number) {
  return fail(
    'base_unknown',
    `This session has not read ${within} yet, so nobody can tell what the write was made on. Read it first; or name the version that you read as base_version.`,
    { current_version: version, parts: parts.map(({ pointer }) => pointer) },
  );
}

/** The failure for a whole document from a session that knows only parts: it would remove all others. */
function readInPart({ parts }: ReadCursor, version: number) {
  const pointers = parts.map(({ pointer }) => pointer);
  return fail(
    'base_unknown',
    `This session has read only parts of the state (${pointers.slice(0, 3).join(', ')}), and a whole document in its place would remove what it has not seen. Read the whole state first, or change only those parts with a patch.`,
    { current_version: version, parts: pointers },
  );
}

interface Versioned {
  readonly version: number;
  readonly document: JsonObject;
}

/**
 * Checks a write that allows no merge (`on_conflict: reject`): nobody may have written since its base, whatever has changed.
 *
 * @returns `version_conflict`, or `null`.
 */
export function checkUnchangedSince(base: Pick<Versioned, 'version'>, present: Versioned) {
  if (base.version === present.version) return null;
  return fail(
    'version_conflict',
    `Others have written since version ${String(base.version)}, which this write was made on; the state is at version ${String(present.version)}. Read it again, and write on top of what is there.`,
    {
      current_version: present.version,
      your_version: base.version,
      current_data: present.document,
    },
  );
}
