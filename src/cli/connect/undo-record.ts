// The record that restores a file byte for byte. It is kept per file in the user's state folder, never in a
// project. Without it our parts can still be removed, but white space around them may differ.
import { applyPatch, createTwoFilesPatch } from 'diff';
import type { CliIo } from '../io/io.js';
import { removeEntry, hashOf, writeEntry, readEntry } from '../files/state-folder.js';
import { CERTAINTIES, KINDS, type Certainty, type Kind } from '../../agent-clients/settings/settings-file.js';

export interface UndoRecord {
  /** Patch from the text after our change to the text before. */
  readonly patch: string;
  /** SHA-256 of the text before our change. */
  readonly before: string;
  /** SHA-256 of the text after our change. */
  readonly after: string;
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
  const patch = createTwoFilesPatch('after', 'before', after, before);
  return { patch, before: hashOf(before), after: hashOf(after), ...rest };
}

/** The text before our change if it can be restored with certainty, else `null`. */
export function undone(record: UndoRecord, text: string): { text: string; exact: boolean } | null {
  const before = applyPatch(text, record.patch, { fuzzFactor: 0, autoConvertLineEndings: false });
  if (before === false) return null;
  const isSameFile = hashOf(text) === record.after;
  return isSameFile && hashOf(before) !== record.before ? null : { text: before, exact: isSameFile };
}

export async function readRecord(file: string, io: CliIo): Promise<UndoRecord | null> {
  const value = await readEntry([KIND, file], io);
  return isRecord(value) ? value : null;
}

export function writeRecord(file: string, record: UndoRecord, io: CliIo): Promise<void> {
  return writeEntry([KIND, file], record, io);
}

export function removeRecord(file: string, io: CliIo): Promise<void> {
  return removeEntry([KIND, file], io);
}

const KIND = 'connected';

function isRecord(value: unknown): value is UndoRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { patch, before, after, created, dangling, folders, kinds, limit, replaced, earlier } =
    value as Record<string, unknown>;
  return (
    [patch, before, after].every((one) => typeof one === 'string') &&
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
