// A program that is called like a client and prints what the real one printed: a child process like any other.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CONVERSATION, type Recording } from './recording.js';

/** How it was called. */
export interface Called {
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Text and mode of each file that an argument named, or that stood in the home of the run. */
  readonly files: Readonly<Record<string, { readonly text: string; readonly mode: number }>>;
}

export interface FakeCli {
  readonly program: string;
  readonly calls: () => readonly Called[];
}

export interface FakeOptions {
  /** Does not end by itself. */
  readonly stays?: boolean;
  /** What it says when it is asked for the servers that it finds. */
  readonly found?: unknown;
}

const SCRIPT = `#!${process.execPath}
const { appendFileSync, existsSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const part = JSON.parse(readFileSync(path.join(__dirname, 'part.json'), 'utf8'));
const argv = process.argv.slice(2);
if (argv[0] === 'mcp') {
  process.stdout.write(JSON.stringify(part.found));
  return;
}
const files = {};
for (const arg of argv) {
  try {
    if (path.isAbsolute(arg)) files[arg] = { text: readFileSync(arg, 'utf8'), mode: statSync(arg).mode & 0o777 };
  } catch {}
}
const home = process.env.GEMINI_CLI_HOME && path.join(process.env.GEMINI_CLI_HOME, '.gemini');
for (const name of home ? readdirSync(home) : []) {
  const file = path.join(home, name);
  if (statSync(file).isFile()) {
    files[name] = { text: readFileSync(file, 'utf8'), mode: lstatSync(file).mode & 0o777 };
  }
}
let stdin = '';
process.stdin.on('data', (chunk) => (stdin += chunk));
process.stdin.on('end', () => {
  const calls = path.join(__dirname, 'calls.jsonl');
  const before = existsSync(calls) ? readFileSync(calls, 'utf8').split('\\n').length - 1 : 0;
  const recording = part.recordings[Math.min(before, part.recordings.length - 1)];
  appendFileSync(
    calls,
    JSON.stringify({ argv, stdin, environment: process.env, files }) + '\\n',
  );
  const id = argv.find((arg) => /^[0-9a-f]{8}-[0-9a-f]{4}-/.test(arg)) ?? part.conversation;
  process.stderr.write(recording.stderr);
  if (process.env.GEMINI_DEBUG_LOG_FILE) writeFileSync(process.env.GEMINI_DEBUG_LOG_FILE, recording.log);
  const lines = recording.stdout.map((line) => line.replaceAll(part.conversation, id) + '\\n');
  process.stdout.write(lines.join(''), () => {
    if (part.stays) setInterval(() => undefined, 1000);
    else if (recording.exit_signal !== null) process.kill(process.pid, recording.exit_signal);
    else process.exitCode = recording.exit_code;
  });
});
`;

/** @param recordings - What it prints and how it ends, call by call; the last goes on for ever. */
export function fakeCli(
  recordings: readonly Recording[],
  { stays = false, found = [] }: FakeOptions = {},
): FakeCli {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-fake-'));
  writeFileSync(
    path.join(folder, 'part.json'),
    JSON.stringify({ recordings, stays, found, conversation: CONVERSATION }),
  );
  const program = path.join(folder, 'client.cjs');
  writeFileSync(program, SCRIPT, { mode: 0o755 });
  const calls = path.join(folder, 'calls.jsonl');
  return {
    program,
    calls: () =>
      readFileSync(calls, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
  };
}
