// `countersign demo` as a process of the built program, with a folder for temporary files of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtProgram } from '../support/built-program.js';

export interface Demo {
  readonly out: () => string;
  readonly err: () => string;
  /** Settles when it has printed this. */
  readonly printed: (text: string) => Promise<void>;
  readonly signal: (name: NodeJS.Signals) => void;
  /** Settles with its exit code when it has ended. */
  readonly ended: Promise<number | null>;
  /** What it has left of its temporary files. */
  readonly left: () => string[];
  /** Ends it if need be, and removes what it has left. */
  readonly remove: () => void;
}

export async function startDemo(args: readonly string[], environment: Record<string, string> = {}) {
  const program = await builtProgram();
  const folder = mkdtempSync(join(tmpdir(), 'countersign-demo-test-'));
  const child = spawn(process.execPath, [program, 'demo', ...args], {
    env: { ...process.env, TMPDIR: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const demo: Demo = {
    out: () => out,
    err: () => err,
    async printed(text) {
      const over = ended.then(() => {
        if (!out.includes(text)) throw new Error(`it ended without printing "${text}":\n${out}\n${err}`);
      });
      while (!out.includes(text)) await Promise.race([once(child.stdout, 'data'), over]);
    },
    signal: (name) => void child.kill(name),
    ended,
    left: () => readdirSync(folder),
    remove() {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return demo;
}
