// A hook as an agent CLI runs it: the built program, with the hook's JSON on its standard input.
import { spawn } from 'node:child_process';
import { builtProgram } from './built-program.js';

export interface Hooked {
  readonly code: number | null;
  readonly stderr: string;
  /** What the client reads; `null` where nothing was printed. */
  readonly answer: any;
}

/** Runs `countersign hook <args>`; no variable of the test's own environment says who is asking. */
export async function runHook(
  args: readonly string[],
  input: unknown,
  env: Readonly<Record<string, string>>,
): Promise<Hooked> {
  const program = await builtProgram();
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(COUNTERSIGN|AGENT|WORKFLOW|CLAUDE)_/.test(name),
  );
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, 'hook', ...args], {
      env: { ...Object.fromEntries(own), ...env },
    });
    let out = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      try {
        resolve({ code, stderr, answer: out === '' ? null : JSON.parse(out) });
      } catch {
        reject(new Error(`no JSON: ${out}`));
      }
    });
    child.stdin.end(typeof input === 'string' ? input : JSON.stringify(input));
  });
}
