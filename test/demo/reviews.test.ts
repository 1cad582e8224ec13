// The reviews on real repositories: what they find, and that it is what the schema asks for.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REVIEWS } from '../../src/demo/agents/reviews/index.js';
import { makeSampleRepository } from '../../src/demo/repository.js';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { createSchemaEngine } from '../../src/schema/index.js';

const schema = JSON.parse(readFileSync(new URL('../../schemas/code-review.json', import.meta.url), 'utf8'));
const engine = createSchemaEngine(DEFAULT_LIMITS);
const folder = mkdtempSync(join(tmpdir(), 'countersign-reviews-'));
const sample = join(folder, 'sample');
const odd = join(folder, 'odd');

function put(name: string, content: string | Buffer): void {
  mkdirSync(dirname(join(odd, name)), { recursive: true });
  writeFileSync(join(odd, name), content);
}

beforeAll(async () => {
  await makeSampleRepository(sample);
  mkdirSync(odd);
  const git = (...args: string[]) => execFileSync('git', ['-C', odd, ...args]);
  git('init', '--quiet');
  put('go.mod', 'module x\n\nrequire (\n\texample.com/a v1.2.3\n\texample.com/b v0.1.0 // indirect\n)\n');
  put('web/package.json', '{"dependencies": {"../../etc": "1", "ok": "^1"}, "devDependencies": []}');
  put('broken/package.json', '{');
  put('a name: with "quotes".py', '# FIXME odd names\nprint("TODO in a text")');
  put('image.png', Buffer.from([0x89, 0, 0x0a, 0x0a]));
  put('pkg/thing_test.go', 'package pkg // TODO a sample in a test\n');
  put('pkg/thing.go', 'package pkg\n\n// TODO\n');
  put('empty.txt', '');
  symlinkSync('/etc/passwd', join(odd, 'passwd'));
  git('add', '.');
  git('-c', 'user.name=Eve', '-c', 'user.email=e@example.com', 'commit', '-qm', 'x');
  rmSync(join(odd, 'empty.txt'));
  put('new.js', '// TODO not committed\n');
  git('add', 'new.js');
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

async function review(child: string, repository: string): Promise<any> {
  const { data, prose } = await REVIEWS[child]!(repository);
  expect(prose).not.toBe('');
  return data;
}

describe.each(Object.keys(REVIEWS))('the review %s', (child) => {
  it.each(['sample', 'odd'])('gives what its contract asks for on the %s repository', async (name) => {
    const admitted = await engine.admit(schema.$defs[child.replace('-', '_')], 'value');
    if (!admitted.ok) throw new Error(admitted.failure.detail);
    const data = await review(child, name === 'sample' ? sample : odd);
    const result = await engine.validate(admitted.value, data, JSON.stringify(data).length);
    expect(result).toEqual({ ok: true, value: [] });
    expect(data.complete).toBe(true);
  });
});

describe('a review', () => {
  it('counts lines by language, most first', async () => {
    const { languages } = await review('languages', sample);
    expect(languages.map((one: any) => [one.language, one.files, one.lines])).toEqual([
      ['TypeScript', 2, 8],
      ['Markdown', 1, 3],
      ['JSON', 2, 2],
    ]);
  });

  it('leaves out what is no text, no file, or not there', async () => {
    const { files, languages } = await review('languages', odd);
    expect(files).toBe(8 - 1); // without the image, the link and what was deleted; with the one that is new
    expect(languages.map((one: any) => one.language)).toContain('Go');
  });

  it('says when a large file was last changed', async () => {
    const { files } = await review('largest-files', sample);
    expect(files[0]).toMatchObject({ path: 'src/tally.ts', lines: 5, last_changed: '2024-03-14' });
  });

  it('knows who left a note, and how long ago', async () => {
    const { total, items, oldest_days: oldest } = await review('todos', sample);
    expect(total).toBe(2);
    expect(items[0]).toMatchObject({ path: 'src/tally.ts', kind: 'TODO', author: 'Sample Author', line: 1 });
    const days = Math.floor((Date.now() - Date.parse('2024-03-14T09:26:00Z')) / 86_400_000);
    expect(oldest).toBe(days);
  });

  it('finds notes in comments only, under any name of a file, and none in tests', async () => {
    const { items } = await review('todos', odd);
    expect(items.map((one: any) => [one.path, one.kind, one.text])).toEqual([
      ['a name: with "quotes".py', 'FIXME', 'odd names'],
      ['new.js', 'TODO', 'not committed'],
      ['pkg/thing.go', 'TODO', ''],
    ]);
  });

  it('takes licences from the lock file', async () => {
    const { dependencies, licences, unknown } = await review('dependencies', sample);
    expect(dependencies.map((one: any) => [one.name, one.kind, one.licence])).toEqual([
      ['decimal-numbers', 'runtime', 'ISC'],
      ['test-runner', 'development', 'unknown'],
    ]);
    expect(licences).toEqual({ ISC: 1 });
    expect(unknown).toBe(1);
  });

  it('passes over broken manifests and names that are paths', async () => {
    const { dependencies } = await review('dependencies', odd);
    expect(dependencies.map((one: any) => one.name)).toEqual(['example.com/a', 'ok']);
  });

  it('tells tests from source by their path', async () => {
    expect(await review('test-ratio', sample)).toMatchObject({ source_files: 1, test_files: 1 });
    expect(await review('test-ratio', odd)).toMatchObject({ test_files: 1, test_lines: 1 });
  });
});
