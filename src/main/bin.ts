#!/usr/bin/env node
// The program's entry point: command line in, exit code out. Loads only what the command needs.
import { isClientCommandName, isHookCommand } from '../cli/client-command-names.js';
import { exitForHooks } from '../cli/hooks/exit.js';
import type { CliIo } from '../cli/io/io.js';

/** Exit code where standard output cannot be written, such as on a full disk. */
const OUTPUT_LOST = 1;
const NODE_TOO_OLD = 1;

const io: CliIo = {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  isTTY: process.stdout.isTTY,
  width: process.stdout.columns || 80,
};

const argv = process.argv.slice(2);
const [word] = argv;

process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // The reader of our output may close the pipe early (`countersign state log | head`). A client needs a hook's answer.
  if (code === 'EPIPE' && !isHookCommand(argv)) process.exit(0);
  process.stderr.write(`error: Standard output cannot be written (${code ?? message})\n`);
  process.exit(exitForHooks(argv, OUTPUT_LOST));
});
// Without standard error, the exit code still says what happened.
process.stderr.on('error', () => undefined);

/** The oldest version of Node.js with all that is used, as in package.json. */
const NODE_MIN = [20, 19] as const;

function isOfUse(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
}

async function run(): Promise<number> {
  const { node } = process.versions;
  if (!isOfUse(node)) {
    process.stderr.write(
      `error: Countersign needs Node.js ${NODE_MIN.join('.')} or newer; this is ${node}\n`,
    );
    return exitForHooks(argv, NODE_TOO_OLD);
  }
  if (isHookCommand(argv)) return (await import('./hook-program.js')).runHookCommand(argv, io);
  if (isClientCommandName(word))
    return (await import('./client-program.js')).runClientCommand(word, argv, io);
  return (await import('./whole-program.js')).runProgram(argv, io);
}

void run().then((code) => {
  process.exitCode = code;
  // Nobody reads it any more: a pipe that stays open keeps no process.
  if ('unref' in process.stdin) process.stdin.unref();
});
