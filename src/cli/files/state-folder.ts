// Data that commands keep between calls, in the user's state folder (XDG_STATE_HOME). Readable by its owner only.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { CliIo } from '../io/io.js';

/** The key of an entry: a kind and a name. */
type Entry = readonly [kind: string, name: string];

/** @returns The entry; `undefined` if there is none or it cannot be read. */
export async function readEntry(entry: Entry, io: CliIo): Promise<unknown> {
  try {
    const value: unknown = JSON.parse(await readFile(fileOf(entry, io), 'utf8'));
    return value;
  } catch {
    return undefined;
  }
}

export async function writeEntry(entry: Entry, value: object, io: CliIo): Promise<void> {
  const file = fileOf(entry, io);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, JSON.stringify(value), { mode: 0o600 });
}

export async function removeEntry(entry: Entry, io: CliIo): Promise<void> {
  await rm(fileOf(entry, io), { force: true });
}

function fileOf([kind, name]: Entry, io: CliIo): string {
  return path.join(stateFolder(io), kind, `${hashOf(name)}.json`);
}

export function stateFolder({ env }: Pick<CliIo, 'env'>): string {
  const state = env['XDG_STATE_HOME'] ?? '';
  const folder = path.isAbsolute(state) ? state : path.join(env['HOME'] ?? homedir(), '.local', 'state');
  return path.join(folder, 'countersign');
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
