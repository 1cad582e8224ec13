// The record that restores a file byte for byte. It is kept in the user's state folder, never in a project: one per
// file, and one per project in a file that projects share. Without it our parts can still be removed, but white space
// around them may differ.
import { applyPatch, createTwoFilesPatch } from 'diff';
import type { CliIo } from '../io/io.js';
import { removeEntry, hashOf, writeEntry, readEntry } from '../files/state-folder.js';
import { CERTAINTIES, KINDS, type Certainty, type Kind } from '../../agent-clients/settings/settings-file.js';

/** A change of a text that can be reverted. */
export interface Patch {
  /** Patch from the text after our change to the text before. */
  readonly patch: string;
  /** SHA-256 of the text before our change. */
  readonly before: string;
  /** SHA-256 of the text after our change. */
  readonly after: string;
}

export interface UndoRecord extends Patch {
  /** The file did not exist. */
  readonly created: boolean;
  /** The file was a link that led nowhere. Absent in records of earlier versions. */
  readonly dangling?: boolean | undefined;
  /** Folders created for the file, innermost first. */
  readonly folders: readonly string[];
  readonly kinds: readonly Kind[];
  /**
   * The original file had none of our parts up to this certainty, or only those that are surely ours. So parts up to it
   * may be removed.
   */
  readonly limit: Certainty;
  /** The text before our change, if the change replaced hooks or a server of a user. */
  readonly replaced?: string | undefined;
  /** The record of `hook install`, if `connect` came after it. It is the record of the file once this one is undone. */
  readonly earlier?: UndoRecord | undefined;
}

/** True for a record of `hook install`. */
export function isOfHooksAlone({ kinds }: UndoRecord): boolean {
  return kinds.every((kind) => kind === 'hooks');
}

/** Records a change of a file, so that `undone` can revert it. */
export function undoRecord(
  before: string,
  after: string,
  rest: Pick<UndoRecord, 'created' | 'dangling' | 'folders' | 'kinds' | 'limit' | 'replaced' | 'earlier'>,
): UndoRecord {
  return { ...patchOf(before, after), ...rest };
}

export function patchOf(before: string, after: string): Patch {
  const patch = createTwoFilesPatch('after', 'before', after, before);
  return { patch, before: hashOf(before), after: hashOf(after) };
}

/** The text before our change if it can be restored with certainty, else `null`. */
export function undone(record: Patch, text: string): { text: string; exact: boolean } | null {
  const before = applyPatch(text, record.patch, { fuzzFactor: 0, autoConvertLineEndings: false });
  if (before === false) return null;
  const isSameFile = hashOf(text) === record.after;
  return isSameFile && hashOf(before) !== record.before ? null : { text: before, exact: isSameFile };
}

/** Whose record of a file it is. */
export interface RecordKey {
  readonly file: string;
  /** The folder of the project, in a file that projects share. */
  readonly owner?: string;
}

export async function readRecord(key: RecordKey, io: CliIo): Promise<UndoRecord | null> {
  const value = await readEntry([KIND, nameOf(key)], io);
  return isRecord(value) ? value : null;
}

/** Keeps a record; `null` removes it. */
export function writeRecord(key: RecordKey, record: UndoRecord | null, io: CliIo): Promise<void> {
  const entry = [KIND, nameOf(key)] as const;
  return record === null ? removeEntry(entry, io) : writeEntry(entry, record, io);
}

/** The kind of these records in the state folder, and the name of one. */
export const KIND = 'connected';

export function nameOf({ file, owner }: RecordKey): string {
  return owner === undefined ? file : `${file}\0${owner}`;
}

export function isPatch(value: unknown): value is Patch {
  if (typeof value !== 'object' || value === null) return false;
  const { patch, before, after } = value as Record<string, unknown>;
  return [patch, before, after].every((one) => typeof one === 'string');
}

function isRecord(value: unknown): value is UndoRecord {
  if (!isPatch(value)) return false;
  const { created, dangling, folders, kinds, limit, replaced, earlier } = value as Patch &
    Record<string, unknown>;
  return (
    typeof created === 'boolean' &&
    (replaced === undefined || typeof replaced === 'string') &&
    (earlier === undefined || isRecord(earlier)) &&
    (dangling === undefined || typeof dangling === 'boolean') &&
    CERTAINTIES.some((one) => one === limit) &&
    Array.isArray(folders) &&
    folders.every((one) => typeof one === 'string') &&
    Array.isArray(kinds) &&
    kinds.every((one) => KINDS.some((kind) => kind === one))
  );
}
