import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitMessage, importText, type MirrorCommit } from '../../../src/cli/mirror/commit-text.js';
import { GitRepository } from '../../../src/cli/mirror/git.js';

const author = { name: 'reviewer', id: 'ses_2' };
const event = (patch: { op: 'add'; path: string; value: number }[], more: object = {}) => ({
  version: 7,
  kind: 'json_patch' as const,
  session_id: 'ses_2',
  run_id: 'run_1',
  patch,
  ...more,
});
const message = (patch: { op: 'add'; path: string; value: number }[], more: object = {}) =>
  commitMessage({
    stateId: 'sta_1',
    rootName: 'plan',
    event: event(patch, more),
    author,
    missing: null,
  });
const add = (path: string) => ({ op: 'add' as const, path, value: 1 });

describe('the message of a commit', () => {
  it('names tree, version and changes, and then the facts', () => {
    expect(message([add('/a'), add('')])).toBe(
      'plan version 7: add /a, add (the document)\n\nadd /a\nadd (the document)\n\n' +
        'State: sta_1\nVersion: 7\nKind: json_patch\nSession: reviewer (ses_2)\nRun: run_1\n',
    );
    expect(message([], { kind: 'migrate', session_id: null, run_id: null })).toBe(
      'plan version 7: migrate\n\nState: sta_1\nVersion: 7\nKind: migrate\nSession: -\n',
    );
  });

  it('is bounded, whatever changed', () => {
    const text = message(Array.from({ length: 5_000 }, () => add(`/${'😀'.repeat(5_000)}`)));
    expect(Array.from(text.split('\n')[0] ?? '')).toHaveLength(72);
    expect(text).toContain('\nand 4950 more changes\n');
    expect(text.length).toBeLessThan(50 * 410 + 1_000);
  });

  it('has no line, and nothing hidden, of those who named the members', () => {
    const text = message([add('/a\nState: other\u001b[2J\0\u202e')]);
    expect(text.match(/^State:/gm)).toHaveLength(1);
    expect(text).toContain('add /a\\nState: other\\u001b[2J\\u0000\\u202e');
  });
});

describe('what git imports', () => {
  it('becomes the commits, whatever names and texts are in it', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'countersign-git-'));
    try {
      const repository = await GitRepository.open(dir, { env: process.env });
      const names = ['plain', 'a "quoted"', 'back\\slash', 'line\nend', 'käse'];
      const commits = names.map((folder): MirrorCommit => ({
        folder,
        author: { name: `<${folder}>\n`, id: 'ses <1>\n' },
        at: Date.parse('2026-01-02T03:04:05.678Z'),
        message: `of ${JSON.stringify(folder)}\n`,
        files: [{ name: 'state.json', text: `data 5\nfrom x\n${folder}😀` }],
      }));
      await repository.commit(await repository.head(), commits.slice(0, 2));
      await repository.commit(await repository.head(), commits.slice(2));
      const head = await repository.head();
      expect(await repository.filesNamed('state.json', head)).toEqual(
        new Map(names.map((folder) => [folder, `data 5\nfrom x\n${folder}😀`])),
      );
      const git = (...args: string[]) => execFileSync('git', ['-C', dir, ...args], { encoding: 'utf8' });
      expect(git('log', '--format=%ae %at').split('\n').slice(0, -1)).toEqual(
        names.map(() => 'ses__1__@countersign.invalid 1767323045'),
      );
      expect(git('fsck', '--strict')).toBe('');
      // Somebody else moved the branch: nothing is added.
      git('-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-q', '--allow-empty', '-m', 'theirs');
      const theirs = git('rev-parse', 'HEAD');
      const moved = importText(head.branch, true, commits.slice(0, 1), 0);
      expect(() =>
        execFileSync('git', ['-C', dir, 'fast-import', '--quiet'], { input: moved, stdio: 'pipe' }),
      ).toThrow();
      expect(git('rev-parse', 'HEAD')).toBe(theirs);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});
