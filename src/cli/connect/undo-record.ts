// What it takes to give a file back as it was, byte for byte: kept for each file beside the user's other state, never in a
// project. Without it what is ours is still taken out, and only the white space around it may differ.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { applyPatch, createTwoFilesPatch } from 'diff';
import type { CliIo } from '../io.js';
import { CERTAINTIES, KINDS, type Certainty, type Kind } from './parts.js';

export interface UndoRecord {
  /** Makes of the text that was written the one before. */
  readonly patch: string;
  readonly before: string;
  readonly after: string;
  /** The file was not there. */
  readonly created: boolean;
  /** Folders that were made for it, the innermost first. */
  readonly folders: readonly string[];
  readonly kinds: readonly Kind[];
  /** Nothing as certain as this, or more, was there before: it may be taken out. */
  readonly limit: Certainty;
}

export function undoRecord(
  before: string,
  after: string,
  rest: Pick<UndoRecord, 'created' | 'folders' | 'kinds' | 'limit'>,
): UndoRecord {
  const patch = createTwoFilesPatch('after', 'before', after, before);
  return { patch, before: hashOf(before), after: hashOf(after), ...rest };
}

/** The text before, where it can be had without doubt; else `null`. */
export function undone(record: UndoRecord, text: string): { text: string; exact: boolean } | null {
  const before = applyPatch(text, record.patch, { fuzzFactor: 0, autoConvertLineEndings: false });
  if (before === false) return null;
  const isSameFile = hashOf(text) === record.after;
  return isSameFile && hashOf(before) !== record.before ? null : { text: before, exact: isSameFile };
}

export async function readRecord(file: string, io: CliIo): Promise<UndoRecord | null> {
  try {
    const value: unknown = JSON.parse(await readFile(placeOf(file, io), 'utf8'));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Readable by its owner alone: settings may hold secrets. */
export async function writeRecord(file: string, record: UndoRecord, io: CliIo): Promise<void> {
  const place = placeOf(file, io);
  await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
  await writeFile(place, JSON.stringify(record), { mode: 0o600 });
}

export async function removeRecord(file: string, io: CliIo): Promise<void> {
  await rm(placeOf(file, io), { force: true });
}

function placeOf(file: string, { env }: CliIo): string {
  const state = env['XDG_STATE_HOME'] ?? '';
  const folder = path.isAbsolute(state) ? state : path.join(env['HOME'] ?? homedir(), '.local', 'state');
  return path.join(folder, 'countersign', 'connected', `${hashOf(file)}.json`);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function isRecord(value: unknown): value is UndoRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { patch, before, after, created, folders, kinds, limit } = value as Record<string, unknown>;
  return (
    [patch, before, after].every((one) => typeof one === 'string') &&
    typeof created === 'boolean' &&
    CERTAINTIES.some((one) => one === limit) &&
    Array.isArray(folders) &&
    folders.every((one) => typeof one === 'string') &&
    Array.isArray(kinds) &&
    kinds.every((one) => KINDS.some((kind) => kind === one))
  );
}
