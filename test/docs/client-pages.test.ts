// The quick start of each client's page, as far as it needs no client: it waits for the service before it asks it.
// test/clients/docs-pages.test.ts runs all of it, with the real clients.
import { describe, expect, test } from 'vitest';
import { runShellPage } from '../support/shell-page.js';
import { codeBlocks, pages, sectionOf, textOf } from './markdown.js';

const PAGES = ['claude-code', 'codex', 'gemini', 'opencode'].map((client) => `docs/clients/${client}.md`);

/** Without the line that installs the client, and what runs it. */
function withoutClient(page: string): string {
  const [block = ''] = codeBlocks(sectionOf(textOf(page), 'From nothing to a two-phase run'), 'sh');
  const lines = block.split('\n').filter((line) => !line.startsWith('npm install'));
  const first = lines.findIndex((line) => line.startsWith('countersign session start'));
  return lines.slice(0, first).join('\n');
}

describe('the quick start', () => {
  test.each(PAGES)('of %s reaches the service with its first command', { timeout: 30_000 }, async (page) => {
    const ran = await runShellPage(withoutClient(page), { timeoutMs: 25_000 });
    expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/^version +1$/m) });
  });

  test.each(pages())('of %s waits after each service that it starts', (page) => {
    for (const block of codeBlocks(textOf(page), 'sh')) {
      for (const [, next] of block.matchAll(/^countersign serve .*&\n(.*)$/gm)) {
        expect(next).toBe('countersign ready');
      }
    }
  });
});
