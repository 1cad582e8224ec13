// Variables for the commands of a session, appended to a file that a shell reads (Claude Code: CLAUDE_ENV_FILE).
import { appendFile } from 'node:fs/promises';
import type { CliIo } from '../io.js';

/** Readable by its owner alone where it is made here: one of the variables may be a token. */
const MODE = 0o600;

/** A file that cannot be written is told, and nothing more: the session begins all the same. */
export async function writeEnvironment(
  file: string,
  environment: Readonly<Record<string, string>>,
  io: CliIo,
): Promise<void> {
  const lines = Object.entries(environment).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  try {
    await appendFile(file, lines.join(''), { mode: MODE });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    io.stderr.write(`The environment of the session cannot be written to ${file}: ${why}\n`);
  }
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}
