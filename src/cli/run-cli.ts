// The command lines of the whole program, and of its client commands.
import type { ClientCommandName } from './client-command-names.js';
import { COMMANDS, programParts } from './command-list.js';
import type { CliIo } from './io/io.js';
import { runParts } from './run-parts.js';
import type { WiredCommands } from './wiring.js';

/**
 * Runs a command line of the whole program.
 *
 * @param argv - Arguments, without those that name the program.
 * @returns The exit code (see exit-codes.ts).
 */
export function runCli(argv: readonly string[], io: CliIo, wired: WiredCommands): Promise<number> {
  return runParts(argv, io, () => programParts(argv[0], wired));
}

/** The same for one of the client commands, which the command line has to begin with. */
export function runClientCommand(
  name: ClientCommandName,
  argv: readonly string[],
  io: CliIo,
): Promise<number> {
  return runParts(argv, io, async () => [{ name, commands: await COMMANDS[name]() }]);
}
