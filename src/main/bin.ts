#!/usr/bin/env node
// The program's entry point: command line in, exit code out. Loads only what the command needs.
import { isClientCommandName, isHookCommand } from '../cli/client-command-names.js';
import type { CliIo } from '../cli/io/io.js';

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

async function run(): Promise<number> {
  if (isHookCommand(argv)) return (await import('./hook-program.js')).runHookCommand(argv, io);
  if (isClientCommandName(word))
    return (await import('./client-program.js')).runClientCommand(word, argv, io);
  return (await import('./whole-program.js')).runProgram(argv, io);
}

void run().then((code) => {
  process.exitCode = code;
});
