import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRunHome } from '../../../src/runner/agent/run-home.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-stand-in-'));
  mkdirSync(join(dir, '.gemini'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const HOME = {
  variable: 'GEMINI_CLI_HOME',
  folder: '.gemini',
  settingsFile: 'settings.json',
  settings: { general: { enableAutoUpdate: false } },
  texts: {},
  kept: [],
  own: [],
};
const put = (text: string) => writeFileSync(join(dir, '.gemini/settings.json'), text);
const open = () => openRunHome(HOME, join(dir, 'run'), { HOME: dir });

test.each([
  ['// mine\n{ "ui": { "theme": "x" /* dark */ }, "general": { "a": "http://x//y" } }'],
  ['\uFEFF{ "ui": { "theme": "x" },\r\n // why\r\n "general": { "a": "http://x//y" } }\r\n'],
])('settings with comments are those of the run too: %j', async (text) => {
  put(text);
  await open();
  expect(JSON.parse(readFileSync(join(dir, 'run/home/.gemini/settings.json'), 'utf8'))).toEqual({
    ui: { theme: 'x' },
    general: { a: 'http://x//y', enableAutoUpdate: false },
  });
});

test.each(['{ "ui": ', '[]', '// only a comment'])(
  '%j is no settings, and nothing is run without',
  async (text) => {
    put(text);
    await expect(open()).rejects.toThrow(/is not a JSON object/);
  },
);

test.each([
  ['the empty text', () => ({ HOME: dir, GEMINI_CLI_HOME: '' })],
  ['a relative path', () => ({ HOME: '/nowhere', GEMINI_CLI_HOME: relative(process.cwd(), dir) })],
])('a variable that is %s leads to the home of the user', async (_, environment) => {
  put('{ "ui": { "theme": "x" } }');
  writeFileSync(join(dir, '.gemini/oauth_creds.json'), 'login');
  await openRunHome({ ...HOME, kept: ['tmp'] }, join(dir, 'run'), environment());
  const run = join(dir, 'run/home/.gemini');
  expect(readFileSync(join(run, 'oauth_creds.json'), 'utf8')).toBe('login');
  expect(JSON.parse(readFileSync(join(run, 'settings.json'), 'utf8'))).toHaveProperty('ui.theme', 'x');
  expect(existsSync(join(dir, '.gemini/tmp'))).toBe(true);
  expect(existsSync('.gemini')).toBe(false);
});
