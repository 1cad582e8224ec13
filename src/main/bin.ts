#!/usr/bin/env node
// The program's entry point: command line in, exit code out. Loads only what the command needs.
import { isClientCommandName } from '../cli/client-command-names.js';
import type { CliIo } from '../cli/io.js';

const io: CliIo = {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  isTTY: process.stdout.isTTY,
  width: process.stdout.columns || 80,
};

// The reader of our output may close the pipe early (`countersign state log | head`). That is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const argv = process.argv.slice(2);
const [word] = argv;
process.exitCode = isClientCommandName(word)
  ? await (await import('./client-program.js')).runClientCommand(word, argv, io)
  : await (await import('./whole-program.js')).runProgram(argv, io);
