// The README's tour, run as it is written: one shell, every block in order.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { builtProgram } from '../support/built-program.js';
import { freePort } from '../support/free-port.js';
import { codeBlocks, sectionOf, textOf } from './markdown.js';

const STRICT = 'set -e -o pipefail';
/** Whatever happens, the service goes with the shell. */
const CLEAN_UP =
  'trap \'code=$?; kill $! 2>/dev/null || true; wait $! 2>/dev/null || true; exit "$code"\' EXIT';

const scratch = mkdtempSync(join(tmpdir(), 'countersign-tour-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function runTour(): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const port = await freePort();
  const checkout = dirname(dirname(dirname(await builtProgram())));
  const blocks = codeBlocks(sectionOf(textOf('README.md'), 'Five-minute tour'), 'sh');
  const script = [STRICT, CLEAN_UP, ...blocks].join('\n').replaceAll('4717', String(port));
  const own = Object.entries(process.env).filter(([name]) => !/^(COUNTERSIGN_|AGENT_|WORKFLOW_)/.test(name));
  const child = spawn('bash', ['-c', script], {
    cwd: checkout,
    env: {
      ...Object.fromEntries(own),
      TMPDIR: scratch,
      COUNTERSIGN_PORT: String(port),
      COUNTERSIGN_URL: `http://127.0.0.1:${String(port)}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 45_000,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout, stderr };
}

describe('the tour of the README', () => {
  test('runs as it is written, and shows what it says', { timeout: 50_000 }, async () => {
    const { code, stdout, stderr } = await runTour();
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^1 +1 +no_write /m);
    expect(stdout).toMatch(/^2 +2 +recorded /m);
    expect(stdout).toMatch(/release +callback/);
    expect(stdout).toContain('"value":{"verdict":"changes","findings":2}');
    expect(stdout).toMatch(/"changes"$/m);
    expect(stdout).toContain('refused: exit code 6');
    expect(stderr).toContain('Session finished, state update completed.');
  });
});
