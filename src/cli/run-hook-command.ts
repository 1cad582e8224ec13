// The command lines of hooks alone. An agent CLI waits for them before every tool call, so they load nothing else.
import { hookCommands } from './commands/hooks/hook.js';
import type { CliIo } from './io/io.js';
import { runParts } from './run-parts.js';

/**
 * Runs `hook` with the name of a hook.
 *
 * @param argv - Arguments, without those that name the program.
 * @returns The exit code (see exit-codes.ts).
 */
export function runHookCommand(argv: readonly string[], io: CliIo): Promise<number> {
  return runParts(argv, io, () => Promise.resolve([{ name: 'hook', commands: hookCommands }]));
}
