// The whole demonstration, as a user starts it.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeSampleRepository } from '../../src/demo/repository.js';
import { startDemo, type Demo } from './program.js';

const running: Demo[] = [];
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-demo-repo-'));
});
afterEach(() => {
  for (const demo of running.splice(0)) demo.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function demo(...args: string[]): Promise<Demo> {
  const started = await startDemo(args);
  running.push(started);
  return started;
}

/** Steps of one session in the order of their commits. */
function stepsOf(output: string, session: string): string {
  const steps = output.matchAll(/^ +\d+\.\d+s {2}(\S+) +(.*)$/gm);
  return [...steps].flatMap(([, who, text]) => (who === session ? (text ?? '') : [])).join('\n');
}

describe('the demonstration', { timeout: 90_000 }, () => {
  it('fits on a screen, and leaves nothing behind', async () => {
    const story = await demo();
    expect(await story.ended, story.out() + story.err()).toBe(0);
    const out = story.out();
    const rows = out.trimEnd().split('\n');
    expect(rows.length).toBeLessThanOrEqual(30);

    const columns = rows.map((row) => row.trim().split(/ {2,}/));
    const asked = (child: string) => columns.find(([name]) => name === child)?.slice(1);
    expect(asked('languages')).toEqual([
      expect.stringMatching(/^I counted/),
      '-',
      expect.stringMatching(/^v\d+ {/),
    ]);
    expect(asked('largest-files')?.[1]).toBe('recorded');
    expect(asked('todos')?.[1]).toBe('refused, recorded');
    expect(asked('dependencies')?.[1]).toBe('prose, prose, recorded');
    expect(asked('test-ratio')?.[1]).toBe('prose, prose, prose');
    expect(asked('test-ratio')?.[2]).toMatch(/^failed/);

    expect(out).toContain('<agent-callback child="test-ratio" outcome="completed" state_update="failed"');
    expect(out).toContain('</agent-callback>');
    expect(out.match(/^npx countersign /gm)).toHaveLength(3);
    expect(out).not.toContain('\u001b');
    expect(story.err()).toBe('');
    expect(story.left()).toEqual([]);
  });

  it('shows every step with --verbose, on a repository of another', async () => {
    await makeSampleRepository(folder);
    const story = await startDemo(['--verbose', '--repo', folder], { npm_lifecycle_event: 'demo' });
    running.push(story);
    expect(await story.ended, story.out() + story.err()).toBe(0);
    const out = story.out();
    expect(out).toMatch(/^npm run demo -- --keep +stays up/m);
    expect(out).toMatch(/^node dist\/main\/bin\.js connect claude-code +holds/m);
    expect(stepsOf(out, 'languages')).toMatch(/writes version \d+: \/reviews\/languages/);
    expect(stepsOf(out, 'languages')).not.toContain('prompt');
    expect(stepsOf(out, 'largest-files')).toContain('prompt 1 of 3');
    expect(stepsOf(out, 'largest-files')).not.toContain('prompt 2 of 3');
    expect(stepsOf(out, 'todos')).toContain('its write is refused: /reviews/todos/total must be integer');
    expect(stepsOf(out, 'todos')).not.toContain('prompt 3 of 3');
    expect(stepsOf(out, 'dependencies').match(/answers in prose and writes nothing/g)).toHaveLength(2);
    expect(stepsOf(out, 'dependencies')).toMatch(
      /prompt 3 of 3\nwrites version \d+: \/reviews\/dependencies/,
    );
    expect(stepsOf(out, 'test-ratio')).toContain('its callback is released: failed');
    expect(stepsOf(out, 'root')).toContain('is resumed with a callback');
    expect(out.match(/its callback is released/g)).toHaveLength(5);
    expect(out).toContain('"verdict": "approve_with_remarks"');
    expect(out).toMatch(/"said": "There are \d+ lines of tests for \d+ lines of source/);
    expect(out).toContain('amounts with a currency behind them');
  });

  it('reviews a hostile repository without running or printing anything of it', async () => {
    const name = `evil \u001b[31m'"$(touch pwned).ts`;
    execFileSync('git', ['init', '--quiet', folder]);
    writeFileSync(join(folder, name), '// TODO: \u001b]0;owned\u0007 steer the terminal\n');
    execFileSync('git', ['-C', folder, 'config', 'core.fsmonitor', `touch ${join(folder, 'pwned')}; false`]);
    execFileSync('git', ['-C', folder, '-c', 'core.fsmonitor=false', 'add', '.']);
    const who = ['-c', 'user.name=x\u001b[31m', '-c', 'user.email=x@example.com'];
    execFileSync('git', ['-C', folder, ...who, '-c', 'core.fsmonitor=false', 'commit', '-qm', 'x']);
    const story = await demo('--verbose', '--repo', folder);
    expect(await story.ended, story.out() + story.err()).toBe(0);
    expect(story.out()).not.toContain('\u001b');
    expect(story.out()).toContain('evil');
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });

  it('ends at Ctrl-C, cleanly', async () => {
    const story = await demo('--verbose');
    await story.printed('prompt 1 of 3');
    story.signal('SIGINT');
    expect(await story.ended).not.toBe(0);
    expect(story.err()).toBe('error: The demonstration was stopped before its end.\n');
    expect(story.left()).toEqual([]);
  });

  it('stays with --keep until it is told to stop, and leaves the database', async () => {
    const story = await demo('--keep');
    await story.printed('keeps running until Ctrl-C');
    const url = /session tree root --url (\S+)/.exec(story.out())?.[1] ?? '';
    const tree: any = await (await fetch(`${url}/sessions/root/tree`)).json();
    expect(tree.children).toHaveLength(5);
    const db = /countersign serve --db (\S+)/.exec(story.out())?.[1] ?? '';
    story.signal('SIGINT');
    expect(await story.ended, story.err()).toBe(0);
    expect(existsSync(db)).toBe(true);
  });
});

it('a port that is taken is told in one sentence, and nothing is left', { timeout: 60_000 }, async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const story = await demo('--keep', '--port', String(port));
  expect(await story.ended).toBe(1);
  expect(story.err()).toMatch(/^error: [^\n]+\n$/);
  expect(story.err()).toContain(String(port));
  expect(story.left()).toEqual([]);
  taken.close();
});

describe('a repository that cannot be reviewed', { timeout: 60_000 }, () => {
  it.each([
    ['is not there', 'nowhere', () => undefined, 'There is nothing at'],
    ['is a file', 'file', (at: string) => writeFileSync(at, ''), 'is not a folder'],
    ['is no git repository', 'plain', (at: string) => mkdirSync(at), 'is no git repository'],
    [
      'has no commits',
      'empty',
      (at: string) => execFileSync('git', ['init', '--quiet', at]),
      'has no commits yet',
    ],
    [
      'has no work tree',
      'bare',
      (at: string) => execFileSync('git', ['init', '--quiet', '--bare', at]),
      'cannot be reviewed',
    ],
  ])('is told in one sentence where it %s', async (_, name, make, sentence) => {
    make(join(folder, name));
    const story = await demo('--keep', '--repo', join(folder, name));
    expect(await story.ended).toBe(1);
    expect(story.out()).toBe('');
    expect(story.err()).toMatch(/^error: [^\n]+\.\n$/);
    expect(story.err()).toContain(sentence);
    expect(story.left()).toEqual([]);
  });
});
