// Shell lines of a page of the documentation, run as they stand: one shell, in a folder that was empty.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { builtProgram } from './built-program.js';
import { freePort } from './free-port.js';
import type { Ended } from './program.js';

const STRICT = 'set -e -o pipefail';
/** Whatever happens, services and runners end with the shell. */
const CLEAN_UP = 'trap \'code=$?; kill $(jobs -p) 2>/dev/null || true; wait || true; exit "$code"\' EXIT';

export interface Surrounded {
  readonly env?: Readonly<Record<string, string>>;
  /** Folders in which programs are found before all others. */
  readonly bin?: readonly string[];
  readonly timeoutMs: number;
  /** Where it runs; by default in a folder that is empty. */
  readonly cwd?: string;
}

/** @param lines - Of a page, which begin with nothing but the program in the path. */
export async function runShellPage(lines: string, options: Surrounded): Promise<Ended> {
  const { env, bin = [], timeoutMs, cwd } = options;
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-page-'));
  const port = String(await freePort());
  const own = path.join(path.dirname(path.dirname(await builtProgram())), 'bin');
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(COUNTERSIGN_|AGENT_|WORKFLOW_)/.test(name),
  );
  const child = spawn('bash', ['-c', [STRICT, CLEAN_UP, lines].join('\n').replaceAll(':4717', `:${port}`)], {
    cwd: cwd ?? folder,
    env: {
      ...Object.fromEntries(inherited),
      COUNTERSIGN_PORT: port,
      COUNTERSIGN_URL: `http://127.0.0.1:${port}`,
      TMPDIR: folder,
      ...env,
      PATH: [...bin, own, process.env['PATH']].join(':'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  rmSync(folder, { recursive: true, force: true });
  return { code, stdout, stderr };
}
