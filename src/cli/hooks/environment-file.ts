// Appends variables for the commands of a session to a file that the client's shells read.
// One of them may be a token, so they are removed when the client's session ends.
import { shellQuoted } from '../../domain/shell.js';
import { appendFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { HookClient } from '../../domain/hooks/clients.js';
import { messageOf } from '../../domain/text.js';
import type { CliIo } from '../io/io.js';
import { removeEntry, hashOf, writeEntry, readEntry } from '../files/state-folder.js';

/** Mode of a file that is created here: readable by its owner only. */
const MODE = 0o600;

/** A session of a client, by the client's own id. */
interface ClientSession {
  readonly client: Pick<HookClient, 'name'>;
  readonly clientSessionId: string;
}

/** Writes the variables. An error is only printed: the session begins nevertheless. */
export async function writeEnvironment(
  file: string,
  environment: Readonly<Record<string, string>>,
  session: ClientSession,
  io: CliIo,
): Promise<void> {
  await removeEnvironment(session, io);
  const lines = Object.entries(environment).map(([name, value]) => `export ${name}=${shellQuoted(value)}\n`);
  try {
    const before = await textOf(file);
    const text = `${before === null || before === '' || before.endsWith('\n') ? '' : '\n'}${lines.join('')}`;
    // Recorded before the write, so that no unknown file keeps a token.
    const written: Written = {
      file: path.resolve(file),
      created: before === null,
      lines: linesOf(lines.join('')).map(hashOf),
    };
    await writeEntry(recordOf(session), written, io);
    await appendFile(file, text, { mode: MODE });
  } catch (error) {
    io.stderr.write(`The environment of the session cannot be written to ${file}: ${messageOf(error)}\n`);
  }
}

/** Removes this session's lines from its file and keeps all others. An error is only printed. */
export async function removeEnvironment(session: ClientSession, io: CliIo): Promise<void> {
  const written = await readEntry(recordOf(session), io);
  if (!isWritten(written)) return;
  const { file, created, lines } = written;
  try {
    const text = await textOf(file);
    const remaining = text === null ? null : without(linesOf(text), lines);
    if (created && remaining?.length === 0) await rm(file);
    else if (remaining !== null) await writeFile(file, remaining.join(''));
    await removeEntry(recordOf(session), io);
  } catch (error) {
    io.stderr.write(`The environment of the session cannot be taken out of ${file}: ${messageOf(error)}\n`);
  }
}

/**
 * Removes lines where they were written, because other sessions and people may have equal ones: the last run of them. If
 * somebody wrote between them, or removed some, the run begins with the last line that is equal to their first.
 */
function without(text: readonly string[], lines: readonly string[]): readonly string[] {
  const found = text.map(hashOf);
  const run = found.findLastIndex((_, at) => lines.every((line, after) => found[at + after] === line));
  const start = run === -1 ? found.lastIndexOf(lines[0] ?? '') : run;
  let next = start === -1 ? lines.length : 0;
  return text.filter((_, at) => {
    const ours = at < start ? -1 : lines.indexOf(found[at] ?? '', next);
    if (ours !== -1) next = ours + 1;
    return ours === -1;
  });
}

interface Written {
  readonly file: string;
  /** The file did not exist. */
  readonly created: boolean;
  /** Hashes of the lines, so that a token is stored in one file only. */
  readonly lines: readonly string[];
}

function isWritten(value: unknown): value is Written {
  if (typeof value !== 'object' || value === null) return false;
  const { file, created, lines } = value as Record<string, unknown>;
  return typeof file === 'string' && typeof created === 'boolean' && Array.isArray(lines);
}

function recordOf({ client, clientSessionId }: ClientSession): readonly [string, string] {
  return ['environment', `${client.name} ${clientSessionId}`];
}

/** Each with its end of line. */
function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

/** @throws Error If it is no regular file: reading a FIFO may never end. */
async function textOf(file: string): Promise<string | null> {
  try {
    if (!(await stat(file)).isFile()) throw new Error('it is not a regular file');
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
