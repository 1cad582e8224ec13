// The tour, run as it is written: one shell, every block in order.
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtProgram } from '../support/built-program.js';
import { runShellPage } from '../support/shell-page.js';
import { codeBlocks, textOf } from './markdown.js';

async function runTour() {
  const cwd = dirname(dirname(dirname(await builtProgram())));
  const blocks = codeBlocks(textOf('docs/tour.md'), 'sh');
  return runShellPage(blocks.join('\n'), { cwd, timeoutMs: 110_000 });
}

describe('the tour', () => {
  test('runs as it is written, and shows what it says', { timeout: 120_000 }, async () => {
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
