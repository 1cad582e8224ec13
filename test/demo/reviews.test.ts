// The reviews on real repositories: what they find, and that it is what the schema asks for.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REVIEWS } from '../../src/demo/agents/reviews/index.js';
import { makeSampleRepository } from '../../src/demo/sample-repository.js';
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
  put('pkg/thing_test.go', 'package pkg\n');
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

async function review(member: string, repository: string): Promise<any> {
  const { data, prose } = await REVIEWS[member]!(repository);
  expect(prose).not.toBe('');
  return data;
}

describe.each(Object.keys(REVIEWS))('the review %s', (member) => {
  it.each(['sample', 'odd'])('gives what its contract asks for on the %s repository', async (name) => {
    const admitted = await engine.admit(schema.$defs[member], 'value');
    if (!admitted.ok) throw new Error(admitted.refusal.detail);
    const data = await review(member, name === 'sample' ? sample : odd);
    const outcome = await engine.validate(admitted.value, data, JSON.stringify(data).length);
    expect(outcome).toEqual({ ok: true, value: [] });
    expect(data.complete).toBe(true);
  });
});

describe('a review', () => {
  it('counts lines by language, most first', async () => {
    const { languages } = await review('languages', sample);
    expect(languages[0]).toMatchObject({ language: 'JSON', files: 2 });
    expect(languages[1]).toMatchObject({ language: 'TypeScript', files: 4 });
  });

  it('leaves out what is no text, no file, or not there', async () => {
    const { files, languages } = await review('languages', odd);
    expect(files).toBe(8 - 1); // without the image, the link and what was deleted; with the one that is new
    expect(languages.map((one: any) => one.language)).toContain('Go');
  });

  it('says when a large file was last changed', async () => {
    const { files } = await review('largest_files', sample);
    expect(files[0]).toMatchObject({ path: 'src/report.ts', last_changed: '2024-11-20' });
    expect(files.find((one: any) => one.path === 'src/tally.ts').last_changed).toBe('2023-07-02');
  });

  it('knows who left a note, and how long ago', async () => {
    const { total, items, oldest_days: oldest } = await review('todos', sample);
    expect(total).toBe(3);
    const [first] = items.filter((one: any) => one.path === 'src/parse.ts');
    expect(first).toMatchObject({ kind: 'TODO', author: 'First Author', line: 3 });
    const days = Math.floor((Date.now() - Date.parse('2022-03-14T09:26:00Z')) / 86_400_000);
    expect(oldest).toBe(days);
  });

  it('finds notes in comments only, under any name of a file', async () => {
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
      ['numbers-of-people', 'runtime', 'ISC'],
      ['month-names', 'runtime', 'MIT'],
      ['vitest', 'development', 'MIT'],
      ['charset-finder', 'runtime', 'unknown'],
    ]);
    expect(licences).toEqual({ MIT: 2, ISC: 1 });
    expect(unknown).toBe(1);
  });

  it('passes over broken manifests and names that are paths', async () => {
    const { dependencies } = await review('dependencies', odd);
    expect(dependencies.map((one: any) => one.name)).toEqual(['example.com/a', 'ok']);
  });

  it('tells tests from source by their path', async () => {
    expect(await review('test_ratio', sample)).toMatchObject({ source_files: 4, test_files: 1 });
    expect(await review('test_ratio', odd)).toMatchObject({ test_files: 1, test_lines: 1 });
  });
});
