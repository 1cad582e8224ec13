// Plans the change of a client's files: with our parts added, or restored to what they were before.
import type { FileOf } from '../../agent-clients/settings/client-settings.js';
import { SettingsError } from '../../agent-clients/settings/settings-error.js';
import {
  isSame,
  CERTAINTIES,
  KINDS,
  type Certainty,
  type Kind,
  type Kinds,
  type SettingsFile,
} from '../../agent-clients/settings/settings-file.js';
import type { CliIo } from '../io/io.js';
import { UsageError } from '../usage-error.js';
import { changeFiles, textOf, type Asking, type FileChange } from './change-files.js';
import { isLink, targetOf } from './replace-file.js';
import {
  originalText,
  readRecords,
  sharedBefore,
  writeRecords,
  type Records,
  type SharedRecord,
} from './shared-record.js';
import { isOfHooksAlone, patchOf, undone, undoRecord, type UndoRecord } from './undo-record.js';

interface Change extends Asking {
  /** The parts to change; the others stay. */
  readonly kinds: Kinds;
  /** True to add the parts, false to remove them. */
  readonly connects: boolean;
}

/**
 * @param files - In order: a later file may depend on the new content of an earlier one.
 * @returns The exit code.
 * @throws UsageError If a file cannot be read, changed or written; then no file is changed.
 */
export async function changeConnection(files: readonly FileOf[], wanted: Change, io: CliIo): Promise<number> {
  const after = new Map<string, string>();
  const plans = new Map<string, Planned>();
  for (const fileOf of files) {
    const { file } = fileOf(after);
    const target = await targetOf(file);
    const earlier = plans.get(target);
    const settings = earlier === undefined ? fileOf(after) : both(earlier.settings, fileOf, after);
    const change = await planned(settings, wanted, io);
    plans.set(target, { settings, change });
    for (const name of [settings.file, file]) after.set(name, change.after ?? '');
  }
  const changes = [...plans.values()]
    .map(({ change }) => change)
    .filter((change) => change.after !== change.before);
  if (changes.length === 0) {
    io.stderr.write(`Nothing to change in ${[...after.keys()].join(', ')}.\n`);
    return 0;
  }
  return changeFiles(changes, wanted, io);
}

interface Planned {
  readonly settings: SettingsFile;
  readonly change: FileChange;
}

/** One file for two whose paths lead to the same file. */
function both(first: SettingsFile, fileOf: FileOf, after: ReadonlyMap<string, string>): SettingsFile {
  const { file } = fileOf(after);
  const { remove, restore } = fileOf(new Map([...after, [file, '']]));
  return {
    ...first,
    add: (text, kinds, now) => {
      const added = first.add(text, kinds, now);
      const second = fileOf(new Map([...after, [first.file, added], [file, added]]));
      return second.add(added, kinds, now);
    },
    remove: (text, kinds, limit) => remove(first.remove(text, kinds, limit), kinds, limit),
    restore: (text, before) => restore(first.restore(text, before), before),
  };
}

async function planned(settings: SettingsFile, wanted: Change, io: CliIo): Promise<FileChange> {
  const { file, owner = '' } = settings;
  const before = await textOf(file);
  const text = bare(before ?? '');
  const isLinked = await isLink(file);
  let records: Records;
  let plan: Plan;
  try {
    records = await readRecords(settings, (record) => isOfOwner(settings, text, record), io);
    plan = planOf(settings, before, records.record, wanted);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new UsageError(
      `${file}: ${error.message}. Correct it and run the command again; nothing was written.`,
      {
        cause: error,
      },
    );
  }
  const { original, kinds } = plan;
  const shared = sharedBefore(records, owner, before === null ? null : text, isLinked);
  const others = othersIn(shared, records, owner);
  const rest = restOf(plan, before ?? '', records.record, { ...shared, owners: others });
  // The target of a link is removed only if the link led nowhere before.
  const isEmptied = rest === null && before !== null && isLinked && !shared.dangling;
  const after = isEmptied ? settings.empty : rest;
  const isUndone = kinds.length === 0 || after === null || after === original;
  const next = (record: UndoRecord | null, folders: readonly string[]): Records => {
    const owners = record === null ? others : [...others, owner];
    const isShared = settings.owner !== undefined || records.shared !== null;
    const isOver = !isShared || after === null || owners.length === 0;
    // Without a record, entries may have been removed that were there before.
    const first = records.record === null && !wanted.connects ? undefined : originalText(shared, text);
    const patch = first === undefined ? undefined : patchOf(first, bare(after ?? ''));
    return {
      record,
      users: records.users,
      isFormer: false,
      shared: isOver ? null : { ...shared, owners, folders, original: patch },
    };
  };
  return {
    file,
    before,
    after,
    folders: shared.folders,
    prepare: async (made) => {
      if (isUndone) return;
      const was = bare(original ?? '');
      const folders = made.length > 0 ? made : shared.folders;
      const undo = undoRecord(was, bare(after), {
        created: original === null,
        dangling: shared.dangling,
        folders,
        kinds,
        limit: limitOver(settings, was, new Set(kinds)),
        replaced: settings.restore('', was) === '' ? undefined : was,
        earlier: plan.earlier,
      });
      await writeRecords(settings, records, next(undo, folders), io);
    },
    finish: async () => {
      if (!isUndone) return;
      await writeRecords(settings, records, next(plan.earlier ?? null, shared.folders), io);
    },
    cancel: () => writeRecords(settings, records, records, io),
  };
}

/** The content of the file after the change. Once nobody is connected in it, it is that before the first connection. */
function restOf(
  { after, kinds, earlier }: Plan,
  before: string,
  record: UndoRecord | null,
  shared: SharedRecord,
): string | null {
  if (kinds.length > 0 || earlier !== undefined) return after;
  const isLast = shared.owners.length === 0 && record !== null;
  const text = bare(before);
  const first = isLast ? originalText(shared, text) : undefined;
  const rest = first === undefined ? after : `${before.slice(0, before.length - text.length)}${first}`;
  return shared.created && bare(rest ?? '') === '' ? null : rest;
}

/** Who else is connected in the file. */
function othersIn({ owners }: SharedRecord, { isFormer }: Records, owner: string): readonly string[] {
  return owners.filter((one) => one !== owner && !(isFormer && one === ''));
}

/** True if a record is about the entries of this owner alone. */
function isOfOwner(settings: SettingsFile, text: string, record: UndoRecord): boolean {
  const was = undone(record, text)?.text;
  return (
    was !== undefined &&
    !meansSame(settings, was, text) &&
    meansSame(settings, settings.remove(text, new Set(KINDS), 'shared'), was)
  );
}

/** The text without its byte order mark, which stays in the file. */
function bare(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

interface Plan {
  readonly after: string | null;
  /** The content before any of our parts was added. */
  readonly original: string | null;
  readonly kinds: readonly Kind[];
  /** The record of `hook install`, if the original file has its hooks. */
  readonly earlier: UndoRecord | undefined;
}

function planOf(
  settings: SettingsFile,
  before: string | null,
  record: UndoRecord | null,
  { kinds, connects }: Change,
): Plan {
  const text = bare(before ?? '');
  const mark = (before ?? '').slice(0, (before ?? '').length - text.length);
  settings.meaning(text);
  const others = new Set((record?.kinds ?? []).filter((kind) => !kinds.has(kind)));
  // Without a record, a user may have written what has our name: connecting keeps it, disconnecting removes it.
  const begins = connects && (record === null || (kinds.size > 1 && isOfHooksAlone(record)));
  const limit = begins ? 'marked' : (record?.limit ?? 'named');
  const all = new Set([...kinds, ...others]);
  const { original, earlier } =
    before === null || begins
      ? { original: before === null ? null : text, earlier: record ?? undefined }
      : originalOf(settings, text, record, { kinds: all, limit, isWhole: others.size === 0 });
  const from = others.size === 0 ? (original ?? '') : text;
  // What the original file has of ours is replaced; it is restored with the file.
  const base = connects || others.size > 0 ? settings.remove(from, kinds, limit) : from;
  const added = connects ? settings.add(base, kinds, text) : base;
  const isAsWas = isSame(settings.meaning(added), settings.meaning(original ?? ''));
  const after = isAsWas && added === base ? original : added;
  const present = KINDS.filter((kind) => others.has(kind) || (connects && kinds.has(kind)));
  // If the file already has the same meaning, its form is kept.
  const isThere =
    connects && before !== null && after !== null && isSame(settings.meaning(after), settings.meaning(text));
  const whole = (one: string | null) => (one === null ? null : `${mark}${one}`);
  return { after: isThere ? before : whole(after), original: whole(original), kinds: present, earlier };
}

type Original = Pick<Plan, 'original' | 'earlier'>;

interface Removal {
  readonly kinds: Kinds;
  readonly limit: Certainty;
  /** All of our parts are changed, not only the hooks. */
  readonly isWhole: boolean;
}

/** The file before the change that is undone or repeated. If not all parts are, also before an earlier `hook install`. */
function originalOf(
  settings: SettingsFile,
  text: string,
  record: UndoRecord | null,
  { kinds, limit, isWhole }: Removal,
): Original {
  const original = restored(settings, text, record, kinds, limit);
  const earlier = record?.earlier;
  if (earlier === undefined || isWhole || original === null) return { original, earlier };
  return { original: restored(settings, original, earlier, kinds, earlier.limit), earlier: undefined };
}

/** The content of the file before the change of a record; `null` if there was no file. */
function restored(
  settings: SettingsFile,
  text: string,
  record: UndoRecord | null,
  kinds: Kinds,
  limit: Certainty,
): string | null {
  const without = settings.remove(text, kinds, limit);
  const rest = record?.replaced === undefined ? without : settings.restore(without, record.replaced);
  const was = record === null ? null : undone(record, text);
  if (record !== null && was !== null) {
    if (was.exact) return record.created ? null : was.text;
    // The file has changed since. The undo patch is used only if its result keeps all of these changes.
    const withoutParts = settings.remove(text, kinds, 'shared');
    if (meansSame(settings, settings.remove(was.text, kinds, 'shared'), withoutParts))
      return record.created && was.text === '' ? null : was.text;
  }
  return rest === '' && text !== '' ? null : rest;
}

/**
 * The highest limit up to which the original file has none of our parts, but those that are surely ours. What was
 * there before must not be removed.
 */
function limitOver(settings: SettingsFile, original: string, kinds: Kinds): Certainty {
  const rest = settings.remove(original, kinds, 'marked');
  const free = CERTAINTIES.filter((limit) => meansSame(settings, settings.remove(rest, kinds, limit), rest));
  return free.at(-1) ?? 'marked';
}

function meansSame(settings: SettingsFile, one: string, other: string): boolean {
  try {
    return isSame(settings.meaning(one), settings.meaning(other));
  } catch {
    return false;
  }
}
