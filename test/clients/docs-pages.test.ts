// The quick start of each client's page as it stands, with the real client: its model is a stand-in, and the client is
// installed beforehand, by its version.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocks, sectionOf, textOf } from '../docs/markdown.js';
import { runShellPage } from '../support/shell-page.js';
import { installClients, type Installed } from './install.js';
import { STAND_INS } from './client-runners.js';
import type { Heard, Turn } from './stand-in/script.js';
import { surroundings, type Client } from './surroundings.js';

const STORY_MS = 120_000;
const CLIENTS: readonly Client[] = ['claude-code', 'codex', 'gemini', 'opencode'];

let installed: Installed;
const opened: { close(): Promise<unknown> }[] = [];
beforeAll(async () => {
  installed = await installClients();
}, 600_000);
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

/** Works in prose, and records its result when it is asked to. */
function script({ prompt, turn }: Heard): Turn {
  if (!prompt.includes('<state-update-request')) return { say: 'It has no public API yet.' };
  const operations = [{ op: 'add', path: '/reviews/api', value: { verdict: 'approved' } }];
  return turn === 0 ? { call: { tool: 'state_patch', input: { operations } } } : { say: 'It is recorded.' };
}

/** What the first line of each page needs of npm: the program is there already. */
function npmIn(home: string): string {
  const bin = path.join(home, 'npm-bin');
  mkdirSync(bin);
  writeFileSync(path.join(bin, 'npm'), '#!/bin/sh\ntest "$1 $2" = "install --global"\n', { mode: 0o755 });
  return bin;
}

describe('the quick start', () => {
  it.each(CLIENTS)(
    'of %s runs as it stands',
    async (client) => {
      const api = await STAND_INS[client](script);
      opened.push(api);
      const { home, environment } = surroundings(client, api.url);
      const page = sectionOf(textOf(`docs/clients/${client}.md`), 'From nothing to a two-phase run');
      const bin = [npmIn(home), installed.bin];
      const lines = codeBlocks(page, 'sh').join('\n');
      const ran = await runShellPage(lines, { env: environment, bin, timeoutMs: STORY_MS - 5000 });
      expect(ran.code, ran.stderr).toBe(0);
      expect(ran.stdout).toMatch(/^\d+ +\d+ +recorded /m);
    },
    STORY_MS,
  );
});
