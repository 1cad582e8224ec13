// `countersign state mirror --git`: each version a commit, in a real repository.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, STORY_MS_MAX } from '../../support/eventually.js';
import { isAt, Mirrors } from '../../support/mirrors.js';
import { must, type Stage } from '../../support/stage.js';

let mirrors: Mirrors;
let stage: Stage;
beforeAll(async () => {
  mirrors = await Mirrors.open();
  ({ stage } = mirrors);
});
afterAll(() => mirrors.close());

const ME = ['-c', 'user.name=Me', '-c', 'user.email=me@example.invalid'];
const git = (dir: string, ...args: string[]) =>
  execFileSync('git', ['-C', dir, ...ME, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** The subjects, oldest first. */
const subjects = (dir: string) => git(dir, 'log', '--reverse', '--format=%s').split('\n').slice(0, -1);

/** The versions that the commits of a folder have, oldest first. */
const versions = (dir: string, folder: string) =>
  subjects(dir).flatMap((subject) => {
    const [, of, version] = /^(\S+) version (\d+): /.exec(subject) ?? [];
    return of === folder ? [Number(version)] : [];
  });

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

const areCommitted = (dir: string, folder: string, expected: readonly number[]) =>
  eventually(`the commits of ${folder}`, () => {
    expect(versions(dir, folder)).toEqual(expected);
    return true;
  });

describe('a mirror with git', { timeout: STORY_MS_MAX }, () => {
  test('commits each version with its session, its version and what changed', async () => {
    const dir = mirrors.newFolder();
    const id = await mirrors.newState('authored', { n: 1 });
    const program = await mirrors.start(dir, id, '--git');
    must(await stage.as('authored').states.mergePatch(id, { n: 2, 'a\nSession: forged': 1 }, {}));
    await mirrors.set(id, { n: 3 });
    await areCommitted(dir, 'authored', [1, 2, 3]);
    expect(await program.end()).toMatchObject({ code: 0, stderr: '' });

    expect(subjects(dir)).toEqual([
      'authored version 1: create',
      expect.stringMatching(
        /^authored version 2: (replace \/n, add \/a\\nSession: forged|add .*, replace \/n)$/,
      ),
      'authored version 3: replace /n',
    ]);
    const session = must(await stage.operator.sessions.get('authored')).session_id;
    expect(git(dir, 'log', '--reverse', '--format=%an <%ae>').split('\n').slice(0, 3)).toEqual([
      'operator <operator@countersign.invalid>',
      `authored <${session}@countersign.invalid>`,
      'operator <operator@countersign.invalid>',
    ]);
    const body = git(dir, 'show', '-s', '--format=%B', 'HEAD~1');
    expect(body.split('\n').filter((line) => line.startsWith('Session:'))).toEqual([
      `Session: authored (${session})`,
    ]);
    expect(body).toContain(`State: ${id}\nVersion: 2\nKind: merge_patch\n`);
    const events = must(await stage.operator.states.events(id, {})).events;
    expect(git(dir, 'log', '--reverse', '--format=%at').split('\n').slice(0, 3).map(Number)).toEqual(
      events.map(({ created_at }) => Math.floor(Date.parse(created_at) / 1000)),
    );
    expect(git(dir, 'show', 'HEAD~2:authored/state.json')).toBe('{\n  "n": 1\n}\n');
    expect(git(dir, 'status', '--porcelain')).toBe('');
    expect(git(dir, 'fsck', '--strict')).toBe('');
  });

  test('commits every version of a burst, and those of the time when it was away', async () => {
    const dir = mirrors.newFolder();
    const id = await mirrors.newState('bursts');
    await mirrors.set(id, { before: true });
    const program = await mirrors.start(dir, '--root-session', 'bursts', '--git');
    await Promise.all(upTo(150).map((n) => mirrors.set(id, { [`n${String(n)}`]: n })));
    await areCommitted(dir, 'bursts', upTo(152));
    await program.end();
    for (let n = 0; n < 5; n += 1) await mirrors.set(id, { n });
    await mirrors.start(dir, '--root-session', 'bursts', '--git');
    await areCommitted(dir, 'bursts', upTo(157));
    await eventually('a clean index', () => git(dir, 'status', '--porcelain') === '');
  });

  test('commits each version once, whenever it is killed', async () => {
    const dir = mirrors.newFolder();
    const id = await mirrors.newState('killed');
    let version = 1;
    for (let round = 0; round < 5; round += 1) {
      const program = await mirrors.start(dir, id, '--git');
      for (let n = 0; n < 15; n += 1) version = await mirrors.set(id, { n: version });
      await eventually('some time', () => true, 1_000);
      await new Promise((resolve) => setTimeout(resolve, 120 * round));
      await program.end('SIGKILL');
    }
    await mirrors.start(dir, id, '--git');
    await areCommitted(dir, 'killed', upTo(version));
    await eventually('a clean index', () => git(dir, 'status', '--porcelain') === '');
  });

  test('commits the removal of a deleted state, also where it was killed before', async () => {
    const dir = mirrors.newFolder();
    const [id, other] = [await mirrors.newState('gone'), await mirrors.newState('gone-too')];
    const program = await mirrors.start(dir, '--all', '--git');
    await areCommitted(dir, 'gone', [1]);
    await areCommitted(dir, 'gone-too', [1]);
    must(await stage.operator.states.remove(id));
    await eventually('the commit', () => git(dir, 'ls-tree', 'HEAD', '--', 'gone') === '');
    expect(subjects(dir).at(-1)).toBe('gone: remove the deleted state');
    await program.end('SIGKILL');
    must(await stage.operator.states.remove(other));
    rmSync(join(dir, 'gone-too'), { recursive: true });
    await mirrors.start(dir, '--all', '--git');
    await eventually('the commit', () => git(dir, 'ls-tree', 'HEAD', '--', 'gone-too') === '');
    await eventually('a clean index', () => !git(dir, 'status', '--porcelain').includes('gone'));
  });

  test('commits the removal of a tree by its name, where it was deleted before', async () => {
    const dir = mirrors.newFolder();
    await mirrors.newState('gone-by-name');
    const args = ['--root-session', 'gone-by-name', '--git'];
    const program = await mirrors.start(dir, ...args);
    await areCommitted(dir, 'gone-by-name', [1]);
    await program.end();
    must(await stage.operator.sessions.remove('gone-by-name', { cascade: true }));
    expect(await (await mirrors.launch(dir, args)).ended).toMatchObject({ code: 4 });
    expect(git(dir, 'ls-tree', 'HEAD', '--', 'gone-by-name')).toBe('');
    expect(existsSync(join(dir, 'gone-by-name'))).toBe(false);
  });

  test('leaves the rest of a repository, its index and its commits alone', async () => {
    const dir = mirrors.newFolder();
    mkdirSync(dir);
    git(dir, 'init', '-q', '-b', 'trunk');
    writeFileSync(join(dir, 'README'), 'mine\n');
    git(dir, 'add', 'README');
    git(dir, 'commit', '-q', '-m', 'mine');
    mkdirSync(join(dir, '.git', 'hooks'), { recursive: true });
    writeFileSync(join(dir, '.git', 'hooks', 'pre-commit'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    writeFileSync(join(dir, 'README'), 'changed\n');
    git(dir, 'add', 'README');
    writeFileSync(join(dir, 'other'), 'untracked\n');
    const id = await mirrors.newState('guest');
    const program = await mirrors.start(dir, id, '--git');
    await areCommitted(dir, 'guest', [1]);
    await eventually('the index', () => git(dir, 'status', '--porcelain') === 'M  README\n?? other\n');
    git(dir, 'commit', '-q', '--no-verify', '-m', 'mine again');
    await mirrors.set(id, { n: 1 });
    await areCommitted(dir, 'guest', [1, 2]);
    expect(subjects(dir)).toEqual([
      'mine',
      'guest version 1: create',
      'mine again',
      'guest version 2: add /n',
    ]);
    expect(git(dir, 'show', 'HEAD:README')).toBe('changed\n');
    expect((await program.end()).code).toBe(0);
  });

  test('has a repository of its own within that of somebody else', async () => {
    const outer = mirrors.newFolder();
    mkdirSync(outer);
    git(outer, 'init', '-q');
    const dir = join(outer, 'mirror');
    const id = await mirrors.newState('inner');
    await mirrors.start(dir, id, '--git');
    await areCommitted(dir, 'inner', [1]);
    expect(existsSync(join(dir, '.git'))).toBe(true);
    expect(() => git(outer, 'rev-parse', '--verify', 'HEAD')).toThrow();
  });

  test('says from where a history is kept', async () => {
    const dir = mirrors.newFolder();
    const id = await mirrors.newState('shortened');
    for (let n = 0; n < 300; n += 1) await mirrors.set(id, { n });
    await stage.coordinator.end();
    await stage.startCoordinator(['--history-keep', '5']);
    const oldest = await eventually('the compaction', async () => {
      const read = await stage.operator.states.events(id, { since: 0 });
      return read.ok ? null : Number(read.failure.members['oldest_version']);
    });
    await mirrors.start(dir, id, '--git');
    await areCommitted(dir, 'shortened', upTo(301).slice(oldest - 1));
    const first = git(dir, 'log', '--reverse', '--format=%B');
    expect(first).toContain(`Versions 1 to ${String(oldest - 1)} are no longer kept.`);
  });

  test('mirrors the files also while git is locked, and commits later', async () => {
    const dir = mirrors.newFolder();
    const id = await mirrors.newState('locked');
    const program = await mirrors.start(dir, id, '--git');
    await areCommitted(dir, 'locked', [1]);
    const lock = join(dir, '.git', 'index.lock');
    writeFileSync(lock, '');
    await isAt(dir, 'locked', await mirrors.set(id, { n: 1 }));
    await isAt(dir, 'locked', await mirrors.set(id, { n: 2 }));
    await eventually('the report', () => program.log.includes('git: '));
    rmSync(lock);
    await areCommitted(dir, 'locked', [1, 2, 3]);
    await eventually('a clean index', () => git(dir, 'status', '--porcelain') === '');
    expect((await program.end()).stderr).toContain('git: it works again');
  });

  test('ends in seconds while the service does not answer, and goes on at the next start', async () => {
    const dir = mirrors.newFolder();
    const id = await mirrors.newState('unanswered');
    const program = await mirrors.start(dir, id, '--git');
    const writes = upTo(30).map((n) => mirrors.set(id, { [`n${String(n)}`]: n }));
    await Promise.all(writes);
    stage.coordinator.signal('SIGSTOP');
    expect((await program.end()).code).toBe(0);
    stage.coordinator.signal('SIGCONT');
    await mirrors.start(dir, id, '--git');
    await areCommitted(dir, 'unanswered', upTo(31));
  });

  test('is refused where git is missing, or has no branch', async () => {
    const dir = mirrors.newFolder();
    const id = await mirrors.newState('without');
    const missing = await (await mirrors.launch(dir, [id, '--git'], { env: { PATH: '/nowhere' } })).ended;
    expect([missing.code, JSON.parse(missing.stderr)]).toEqual([
      2,
      { error: 'usage', detail: 'git cannot be run: it is not installed, or not in PATH' },
    ]);
    expect(existsSync(join(dir, 'without'))).toBe(false);
    git(dir, 'init', '-q');
    git(dir, 'commit', '-q', '--allow-empty', '-m', 'mine');
    git(dir, 'checkout', '-q', '--detach');
    const detached = await (await mirrors.launch(dir, [id, '--git'])).ended;
    expect([detached.code, detached.stderr]).toEqual([
      2,
      expect.stringContaining('no branch is checked out'),
    ]);
  });
});
