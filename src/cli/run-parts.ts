// Runs one command line. Every error becomes an exit code; nothing is thrown.
import { CommanderError } from 'commander';
import { ConnectionError } from '../client/index.js';
import { DEFAULT_URL } from './client-command.js';
import { EXIT } from './text/exit-codes.js';
import { withoutInvalidHelp } from './help-request.js';
import { exitForHooks } from './hooks/exit.js';
import type { CliIo } from './io/io.js';
import { createProgram, type ProgramPart } from './program.js';
import { harmless, jsonText } from './text/terminal-text.js';
import { UsageError } from './usage-error.js';

/**
 * Runs a command line with the commands of some parts of the program.
 *
 * @param argv - Arguments, without those that name the program.
 * @returns The exit code (see exit-codes.ts).
 */
export async function runParts(
  argv: readonly string[],
  io: CliIo,
  load: () => Promise<readonly ProgramPart[]>,
): Promise<number> {
  let exitCode: number = EXIT.ok;
  const isJson = argv.includes('--json');
  try {
    const parts = await load();
    const program = createProgram({ io, isJson, setExitCode: (code) => (exitCode = code) }, parts);
    const probe = () => createProgram({ io: silent(io), isJson, setExitCode: () => undefined }, parts);
    await program.parseAsync(withoutInvalidHelp(probe, argv), { from: 'user' });
    return exitForHooks(argv, exitCode);
  } catch (error) {
    if (error instanceof CommanderError && (error.exitCode === 0 || !isJson))
      return exitForHooks(argv, error.exitCode === 0 ? EXIT.ok : EXIT.usage);
    const report = reportOf(error);
    io.stderr.write(isJson ? jsonOf(report) : textOf(report));
    return exitForHooks(argv, report.exitCode);
  }
}

function silent(io: CliIo): CliIo {
  const nowhere = { write: () => true };
  return { ...io, stdout: nowhere, stderr: nowhere };
}

interface ErrorReport {
  readonly exitCode: number;
  /** Error codes of the program itself, in addition to the service's. */
  readonly error: 'usage' | 'unreachable' | 'bug';
  readonly detail: string;
  readonly hint: string;
}

function reportOf(error: unknown): ErrorReport {
  if (error instanceof UsageError) {
    const hint = 'add --help to see what the command takes';
    return { exitCode: EXIT.usage, error: 'usage', detail: error.message, hint };
  }
  if (error instanceof CommanderError) {
    const isHelp = error.code === 'commander.help';
    const detail = isHelp ? 'No command is named' : error.message.replace(/^error: /, '');
    return { exitCode: EXIT.usage, error: 'usage', detail, hint: '' };
  }
  if (error instanceof ConnectionError) {
    const hint = `start it (countersign serve), or say where it is (--url, COUNTERSIGN_URL; ${DEFAULT_URL} by default)`;
    return { exitCode: EXIT.unreachable, error: 'unreachable', detail: error.message, hint };
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    exitCode: EXIT.bug,
    error: 'bug',
    detail,
    hint: 'this should not have happened; please report it',
  };
}

function textOf({ detail, hint }: ErrorReport): string {
  return `${harmless(`error: ${detail}\nhint: ${hint}`)}\n`;
}

function jsonOf({ error, detail }: ErrorReport): string {
  return `${jsonText({ error, detail })}\n`;
}
