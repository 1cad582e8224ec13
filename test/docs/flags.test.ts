// Flags, variables and commands that the pages and the dashboard name exist in the program, and those of `serve` are all documented.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cli } from '../cli/io-double.js';
import { ROOT, pages, prose, tableRows, textOf } from './markdown.js';

const COMMANDS = [
  'serve',
  'ready',
  'connect',
  'disconnect',
  'runner',
  'mcp',
  'demo',
  'runners',
  'doctor',
  'verify',
  'backup',
  'restore',
  'overview',
  'activity',
  'whoami',
];
const GROUPS = [
  'schema',
  'state',
  'workflow',
  'session',
  'agent',
  'run',
  'callback',
  'webhook',
  'hook',
  'token',
  'db',
];
/** What has no flag: set by the service for its runs, or read by `serve` alone. */
const WITHOUT_FLAG = new Set([
  'COUNTERSIGN_TOKEN_SECRET',
  'COUNTERSIGN_SIGNING_SECRET',
  'COUNTERSIGN_SIGNING_SECRET_PREVIOUS',
]);

async function helpOf(...command: string[]): Promise<string> {
  const { code, out } = await cli([...command, '--help'], { width: 500 });
  expect(code).toBe(0);
  return out;
}

const optionsIn = (help: string) =>
  [...help.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag ?? '');

/** Long flags of every command, by command. */
async function allFlags(): Promise<ReadonlySet<string>> {
  const helps = await Promise.all([helpOf(), ...COMMANDS.map((one) => helpOf(one))]);
  for (const group of GROUPS) {
    const names = [...(await helpOf(group)).matchAll(/^ {2}([a-z-]+) \[options\]/gm)].map(([, name]) => name);
    for (const name of names) helps.push(await helpOf(group, name ?? ''));
  }
  return new Set([...helps.flatMap(optionsIn), '--version']);
}

describe('the page of the configuration', () => {
  const rows = tableRows(textOf('docs/configuration.md')).map((cells) =>
    cells.map((cell) => cell.replaceAll('`', '')),
  );

  test('has every flag of serve with its variable, in the order of its help', async () => {
    const help = await helpOf('serve');
    const flags = [...help.matchAll(/^ +(--[a-z-]+(?: <[^>]+>)?) .*\[env (\w+)\]/gm)];
    expect(rows.map(([flag, env]) => [flag, env])).toEqual(flags.map(([, flag, env]) => [flag, env]));
  });

  test('gives the defaults that the help gives', async () => {
    const help = await helpOf('serve');
    for (const [flag = '', , value = ''] of rows) {
      const line = help.split('\n').find((one) => one.trimStart().startsWith(`${flag} `)) ?? '';
      const found = /\(default: (.*?)\)/.exec(line)?.[1];
      if (found !== undefined) expect(value, flag).toBe(found);
    }
  });
});

describe('pages', () => {
  const documented = pages().filter((page) => !page.startsWith('docs/adr/') && page !== 'CONTRIBUTING.md');

  test.each(documented)('%s names only flags that there are', async (page) => {
    const flags = await allFlags();
    const lines = textOf(page)
      .split('\n')
      .filter((line) => /countersign|`--/.test(line));
    for (const [flag] of lines.join('\n').matchAll(/(?<![\w-])--[a-z][a-z-]+/g)) {
      expect([...flags], `${page} names ${flag}`).toContain(flag);
    }
  });

  const views = readdirSync(join(ROOT, 'src/dashboard'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => `src/dashboard/${file}`);

  test.each([...documented, ...views])('%s names only commands that there are', async (page) => {
    const groups = new Map<string, string>();
    for (const group of GROUPS) groups.set(group, await helpOf(group));
    for (const [text, first = '', second = ''] of textOf(page).matchAll(
      /(?<=[`('>\s])countersign (?!is )([a-z]+)(?: ([a-z-]+))?/g,
    )) {
      const help = groups.get(first);
      if (help === undefined) expect(COMMANDS, `${page}: ${text}`).toContain(first);
      else expect(help, `${page}: ${text}`).toMatch(new RegExp(`^ {2}${second} `, 'm'));
    }
  });

  test('name every variable of serve somewhere in prose or tables', async () => {
    const help = await helpOf('serve');
    const text = documented.map((page) => prose(textOf(page))).join('\n');
    for (const [, env = ''] of help.matchAll(/\[env (\w+)\]/g)) expect(text).toContain(env);
    for (const env of WITHOUT_FLAG) expect(text).toContain(env);
  });
});
