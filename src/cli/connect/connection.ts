// From what a client's files hold now to what they are to hold: with ours, or as they were before.
import type { CliIo } from '../io.js';
import { UsageError } from '../usage-error.js';
import { changeFiles, textOf, type Asking, type FileChange } from './change-files.js';
import {
  isSame,
  CERTAINTIES,
  KINDS,
  type Certainty,
  type Kind,
  type Kinds,
  type SettingsFile,
} from './parts.js';
import { readRecord, removeRecord, undone, undoRecord, writeRecord, type UndoRecord } from './undo-record.js';

export interface Wanted extends Asking {
  /** Which parts are meant; the others stay as they are. */
  readonly kinds: Kinds;
  /** Put in, else taken out. */
  readonly connects: boolean;
}

/**
 * @param files - In their order; a later one may need to know what an earlier one is to hold.
 * @returns The exit code.
 * @throws UsageError Where a file cannot be read, changed or written; then all of them are as they were.
 */
export async function changeConnection(
  files: readonly ((after: ReadonlyMap<string, string>) => SettingsFile)[],
  wanted: Wanted,
  io: CliIo,
): Promise<number> {
  const after = new Map<string, string>();
  const changes: FileChange[] = [];
  for (const fileOf of files) {
    const settings = fileOf(after);
    const change = await planned(settings, wanted, io);
    after.set(settings.file, change.after ?? '');
    if (change.after !== change.before) changes.push(change);
  }
  if (changes.length === 0) {
    io.stderr.write(`Nothing to change in ${[...after.keys()].join(', ')}.\n`);
    return 0;
  }
  return changeFiles(changes, wanted, io);
}

async function planned(settings: SettingsFile, wanted: Wanted, io: CliIo): Promise<FileChange> {
  const { file } = settings;
  const before = await textOf(file);
  const record = await readRecord(file, io);
  let plan: Plan;
  try {
    plan = planOf(settings, before, record, wanted);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(
      `${file}: ${error.message}. Mend it there and run this again; nothing was written.`,
      {
        cause: error,
      },
    );
  }
  const { after, original, kinds } = plan;
  return {
    file,
    before,
    after,
    folders: record?.folders ?? [],
    prepare: async (made) => {
      if (after === null || after === original) return;
      const created = original === null;
      const was = bare(original ?? '');
      const limit = limitOver(settings, was, new Set(kinds));
      const folders = made.length > 0 ? made : (record?.folders ?? []);
      await writeRecord(file, undoRecord(was, bare(after), { created, folders, kinds, limit }), io);
    },
    finish: async () => {
      if (after === null || after === original) await removeRecord(file, io);
    },
  };
}

/** Without the mark of the byte order, which stays where it is. */
function bare(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

interface Plan {
  readonly after: string | null;
  /** As it was before anything of ours was in it. */
  readonly original: string | null;
  readonly kinds: readonly Kind[];
}

function planOf(
  settings: SettingsFile,
  before: string | null,
  record: UndoRecord | null,
  { kinds, connects }: Wanted,
): Plan {
  const text = bare(before ?? '');
  const mark = (before ?? '').slice(0, (before ?? '').length - text.length);
  settings.meaning(text);
  const others = new Set((record?.kinds ?? []).filter((kind) => !kinds.has(kind)));
  const original = originalOf(
    settings,
    text,
    before === null,
    record,
    new Set([...kinds, ...others]),
    connects,
  );
  const base = others.size === 0 ? (original ?? '') : settings.remove(text, kinds, limitOf(record, connects));
  const added = connects ? settings.add(base, kinds) : base;
  const isAsWas = isSame(settings.meaning(added), settings.meaning(original ?? ''));
  const after = isAsWas && added === base ? original : added;
  const held = KINDS.filter((kind) => others.has(kind) || (connects && kinds.has(kind)));
  // The same settings in another form are left in it.
  const isThere =
    connects && before !== null && after !== null && isSame(settings.meaning(after), settings.meaning(text));
  const whole = (one: string | null) => (one === null ? null : `${mark}${one}`);
  return { after: isThere ? before : whole(after), original: whole(original), kinds: held };
}

/** @returns `null` for no file. */
function originalOf(
  settings: SettingsFile,
  text: string,
  isAbsent: boolean,
  record: UndoRecord | null,
  kinds: Kinds,
  connects: boolean,
): string | null {
  if (isAbsent) return null;
  const rest = settings.remove(text, kinds, limitOf(record, connects));
  const was = record === null ? null : undone(record, text);
  if (record !== null && was !== null) {
    if (was.exact) return record.created ? null : was.text;
    // The file was changed since: whatever was done to it has to be in what the patch leaves.
    const left = settings.remove(text, kinds, 'shared');
    if (meansSame(settings, settings.remove(was.text, kinds, 'shared'), left))
      return record.created && was.text === '' ? null : was.text;
  }
  return rest === '' && text !== '' ? null : rest;
}

/** Of what nothing is remembered people may have written, and keep it where they do not want to be rid of it. */
function limitOf(record: UndoRecord | null, connects: boolean): Certainty {
  if (record === null) return connects ? 'marked' : 'named';
  return record.limit;
}

/** How much of what looks like ours may be taken out of a file that was changed since: not what was there before. */
function limitOver(settings: SettingsFile, original: string, kinds: Kinds): Certainty {
  const free = CERTAINTIES.filter((limit) =>
    meansSame(settings, settings.remove(original, kinds, limit), original),
  );
  return free.at(-1) ?? 'marked';
}

function meansSame(settings: SettingsFile, one: string, other: string): boolean {
  try {
    return isSame(settings.meaning(one), settings.meaning(other));
  } catch {
    return false;
  }
}
