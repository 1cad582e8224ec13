// The record of a file that projects share: who is connected in it, and the content before the first of them. It
// restores the file once the last of them is gone. What each of them changed is in an undo record of its own.
import type { CliIo } from '../io/io.js';
import { readEntry, removeEntry, writeEntry } from '../files/state-folder.js';
import {
  isPatch,
  KIND,
  nameOf,
  patchOf,
  readRecord,
  undone,
  writeRecord,
  type Patch,
  type RecordKey,
  type UndoRecord,
} from './undo-record.js';

export interface SharedRecord {
  /** Folders of the connected projects; `''` for the user. */
  readonly owners: readonly string[];
  /** The file did not exist. */
  readonly created: boolean;
  /** The file was a link that led nowhere. */
  readonly dangling: boolean;
  /** Folders created for the file, innermost first. */
  readonly folders: readonly string[];
  /** Leads to the text before the first connection. Absent once others have changed the file in between. */
  readonly original?: Patch | undefined;
}

/** What is recorded of a file. */
export interface Records {
  /** The undo record of the owner that is connected or disconnected. */
  readonly record: UndoRecord | null;
  readonly shared: SharedRecord | null;
  /** The undo record of the user, in a file that projects share. */
  readonly users: UndoRecord | null;
  /** The record is kept as that of the user: earlier versions did not tell projects apart. */
  readonly isFormer: boolean;
}

/** @param isOurs - True if an undo record is about the entries of this owner alone. */
export async function readRecords(
  key: RecordKey,
  isOurs: (record: UndoRecord) => boolean,
  io: CliIo,
): Promise<Records> {
  const { file, owner } = key;
  const [own, shared] = [await readRecord(key, io), await readShared(file, io)];
  const users = owner === undefined ? null : await readRecord({ file }, io);
  const isFormer = own === null && users !== null && isOurs(users);
  return { record: isFormer ? users : own, shared, users: isFormer ? null : users, isFormer };
}

/**
 * The shared record before a change.
 *
 * @param text - `null` if there is no file: then nobody is connected in it.
 */
export function sharedBefore(
  { record, shared, users }: Records,
  owner: string,
  text: string | null,
  isLinked: boolean,
): SharedRecord {
  if (text !== null) {
    if (shared !== null) return shared;
    if (users !== null) return sharedOf('', users, text);
    if (record !== null) return sharedOf(owner, record, text);
  }
  return {
    owners: [],
    created: text === null,
    dangling: record?.dangling ?? (text === null && isLinked),
    folders: record?.folders ?? [],
    original: patchOf(text ?? '', text ?? ''),
  };
}

/** The record of a file in which one owner is connected, from its undo record. */
function sharedOf(owner: string, record: UndoRecord, text: string): SharedRecord {
  let first = record;
  let was = exactlyUndone(record, text);
  while (first.earlier !== undefined) {
    first = first.earlier;
    was = was === undefined ? undefined : exactlyUndone(first, was);
  }
  return {
    owners: [owner],
    created: first.created,
    dangling: record.dangling ?? false,
    folders: record.folders,
    original: was === undefined ? undefined : patchOf(was, text),
  };
}

/** The text before the first connection; `undefined` if others have changed the file since. */
export function originalText({ original }: SharedRecord, text: string): string | undefined {
  return original === undefined ? undefined : exactlyUndone(original, text);
}

function exactlyUndone(patch: Patch, text: string): string | undefined {
  const was = undone(patch, text);
  return was?.exact === true ? was.text : undefined;
}

async function readShared(file: string, io: CliIo): Promise<SharedRecord | null> {
  const value = await readEntry(entryOf(file), io);
  return isShared(value) ? value : null;
}

/** Replaces the records of a file. */
export async function writeRecords(key: RecordKey, from: Records, to: Records, io: CliIo): Promise<void> {
  const { file } = key;
  await writeRecord(key, to.isFormer ? null : to.record, io);
  if (from.isFormer || to.isFormer) await writeRecord({ file }, to.isFormer ? to.record : null, io);
  if (to.shared !== null) await writeEntry(entryOf(file), to.shared, io);
  else if (key.owner !== undefined || from.shared !== null) await removeEntry(entryOf(file), io);
}

/** Beside the undo records of the file. No owner has an empty name. */
function entryOf(file: string): Parameters<typeof readEntry>[0] {
  return [KIND, nameOf({ file, owner: '' })];
}

function isShared(value: unknown): value is SharedRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { owners, created, dangling, folders, original } = value as Record<string, unknown>;
  return (
    [owners, folders].every((list) => Array.isArray(list) && list.every((one) => typeof one === 'string')) &&
    typeof created === 'boolean' &&
    typeof dangling === 'boolean' &&
    (original === undefined || isPatch(original))
  );
}
