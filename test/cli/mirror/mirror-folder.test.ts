import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MirrorFolder } from '../../../src/cli/mirror/mirror-folder.js';
import type { DocumentAt } from '../../../src/cli/mirror/mirrored-tree.js';
import { safeName } from '../../../src/cli/mirror/names.js';
import { documentText, metaOf, metaText, type MirroredState } from '../../../src/cli/mirror/texts.js';
import { state } from '../answers.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-mirror-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const at = (version: number, data: object = { n: version }, more: Partial<MirroredState> = {}) =>
  ({ ...state, root_session_name: 'plan', version, current_data: data, ...more }) as MirroredState;

const kept = (version: number) => Promise.resolve(documentText({ n: version }));

/** Writes as the mirror does. */
async function write(folder: MirrorFolder, one: MirroredState, documentAt: DocumentAt = kept) {
  const tree = await folder.treeOf(one);
  return tree.write(one, [], documentAt);
}
const file = (...parts: string[]) => readFileSync(join(dir, ...parts), 'utf8');

describe('the folder of a tree', () => {
  it('holds the document and its meta file, for the owner alone', async () => {
    const folder = await MirrorFolder.open(dir);
    expect(await write(folder, at(1))).toEqual({ changed: true, edited: [] });
    expect(readdirSync(join(dir, 'plan'))).toEqual(['state.json', 'state.meta.json']);
    expect(file('plan', 'state.json')).toBe('{\n  "n": 1\n}\n');
    expect(file('plan', 'state.meta.json')).toBe(metaText(metaOf(at(1), [])));
    for (const name of readdirSync(join(dir, 'plan')))
      expect(lstatSync(join(dir, 'plan', name)).mode & 0o777).toBe(0o600);
    expect(await write(folder, at(1))).toEqual({ changed: false, edited: [] });
  });

  it('is another one for each state, where their names differ only in case or are the same', async () => {
    const folder = await MirrorFolder.open(dir);
    const states = [
      at(1),
      at(1, {}, { state_id: 'wfstate_22222222', root_session_name: 'Plan' }),
      at(1, {}, { state_id: 'wfstate_33333333' }),
      at(1, {}, { state_id: 'wfstate_44444444', root_session_name: '../plan' }),
    ];
    for (const one of states) await write(folder, one);
    const strange = safeName('../plan');
    const names = ['Plan-22222222', 'plan', 'plan-33333333', strange];
    expect(readdirSync(dir).sort()).toEqual(names.sort());
    // The same folders after a restart.
    const again = await MirrorFolder.open(dir);
    for (const one of states) expect(await write(again, one)).toEqual({ changed: false, edited: [] });
    expect(readdirSync(dir)).toHaveLength(4);
  });

  it('is another one for each state that comes at the same time', async () => {
    const folder = await MirrorFolder.open(dir);
    const states = ['Bar', 'bar', 'BAR', 'bar'].map((root_session_name, index) =>
      at(1, {}, { state_id: `wfstate_${String(index).repeat(8)}`, root_session_name }),
    );
    await Promise.all([...states, ...states].map((one) => folder.treeOf(one)));
    await Promise.all(states.map((one) => write(folder, one)));
    expect(
      readdirSync(dir)
        .map((name) => name.toLowerCase())
        .sort(),
    ).toEqual(['bar', 'bar-11111111', 'bar-22222222', 'bar-33333333']);
  });

  it('is never one of somebody else', async () => {
    mkdirSync(join(dir, 'plan'));
    writeFileSync(join(dir, 'plan', 'state.json'), 'mine');
    writeFileSync(join(dir, 'plan', 'main.c'), 'mine');
    const folder = await MirrorFolder.open(dir);
    await write(folder, at(1, {}, { state_id: 'wfstate_22222222' }));
    expect(file('plan', 'state.json')).toBe('mine');
    expect(readdirSync(dir)).toEqual(['plan', 'plan-22222222']);
  });

  it('is none behind a link, and its temporary files follow none', async () => {
    const outside = join(dir, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, join(dir, 'plan'));
    const folder = await MirrorFolder.open(dir);
    await write(folder, at(1));
    expect(readdirSync(outside)).toEqual([]);
    const tree = await folder.treeOf(at(1));
    writeFileSync(join(outside, 'victim'), 'as it was');
    symlinkSync(join(outside, 'victim'), join(tree.folder.path, '.state.json.tmp'));
    rmSync(join(tree.folder.path, 'state.json'));
    symlinkSync(join(outside, 'victim'), join(tree.folder.path, 'state.json'));
    expect(await write(folder, at(2))).toEqual({ changed: true, edited: ['state.json'] });
    expect(readFileSync(join(outside, 'victim'), 'utf8')).toBe('as it was');
    expect(readFileSync(join(tree.folder.path, 'state.json'), 'utf8')).toBe('{\n  "n": 2\n}\n');
  });

  it('is removed with the state, except for files of others', async () => {
    const folder = await MirrorFolder.open(dir);
    await write(folder, at(1));
    await write(folder, at(1, {}, { state_id: 'wfstate_2', root_session_name: 'noted' }));
    writeFileSync(join(dir, 'noted', 'notes.md'), 'mine');
    expect(await folder.remove('sta_1')).toBe(join(dir, 'plan'));
    expect(await folder.remove('wfstate_2')).toBe(join(dir, 'noted'));
    expect(await folder.remove('wfstate_3')).toBeNull();
    expect(readdirSync(dir)).toEqual(['noted']);
    expect(readdirSync(join(dir, 'noted'))).toEqual(['notes.md']);
  });
});

describe('an edit', () => {
  it.each<[string, (plan: string) => void, string[]]>([
    ['of the document', (plan) => writeFileSync(join(plan, 'state.json'), '{}'), ['state.json']],
    ['of the meta file', (plan) => writeFileSync(join(plan, 'state.meta.json'), 'x'), ['state.meta.json']],
    ['that removes both', (plan) => rmSync(plan, { recursive: true }), ['state.json', 'state.meta.json']],
    [
      'that puts a FIFO there',
      (plan) => {
        rmSync(join(plan, 'state.json'));
        execFileSync('mkfifo', [join(plan, 'state.json')]);
      },
      ['state.json'],
    ],
  ])('%s is found and overwritten', async (_, edit, edited) => {
    const folder = await MirrorFolder.open(dir);
    await write(folder, at(1));
    const tree = await folder.treeOf(at(1));
    expect(await tree.isUntouched()).toBe(true);
    edit(join(dir, 'plan'));
    expect(await tree.isUntouched()).toBe(false);
    expect(await write(folder, at(1))).toEqual({ changed: true, edited });
    expect(file('plan', 'state.json')).toBe('{\n  "n": 1\n}\n');
    expect(await tree.isUntouched()).toBe(true);
  });

  it('is none where a file was only touched', async () => {
    const folder = await MirrorFolder.open(dir);
    await write(folder, at(1));
    writeFileSync(join(dir, 'plan', 'state.json'), file('plan', 'state.json'));
    expect(await write(folder, at(1))).toEqual({ changed: false, edited: [] });
  });

  it('between two mirrors is found', async () => {
    await write(await MirrorFolder.open(dir), at(1));
    expect(await write(await MirrorFolder.open(dir), at(2))).toEqual({ changed: true, edited: [] });
    writeFileSync(join(dir, 'plan', 'state.json'), '{}');
    expect(await write(await MirrorFolder.open(dir), at(3))).toEqual({
      changed: true,
      edited: ['state.json'],
    });
    writeFileSync(
      join(dir, 'plan', 'state.meta.json'),
      file('plan', 'state.meta.json').replace('"tags": []', '"tags": [ ]'),
    );
    expect(await write(await MirrorFolder.open(dir), at(3))).toEqual({
      changed: true,
      edited: ['state.meta.json'],
    });
    rmSync(join(dir, 'plan', 'state.meta.json'));
    expect(await write(await MirrorFolder.open(dir), at(3))).toEqual({
      changed: true,
      edited: ['state.meta.json'],
    });
    expect(readdirSync(dir)).toEqual(['plan']);
  });

  it('is none where the earlier mirror was cut off between its files, whatever came since', async () => {
    await write(await MirrorFolder.open(dir), at(1));
    // As the write of version 2 leaves it: the document renamed, the meta file not yet.
    writeFileSync(join(dir, 'plan', '.state.meta.json.tmp'), metaText(metaOf(at(2), [])));
    writeFileSync(join(dir, 'plan', 'state.json'), documentText({ n: 2 }));
    expect(await write(await MirrorFolder.open(dir), at(9))).toEqual({ changed: true, edited: [] });
    expect(readdirSync(join(dir, 'plan'))).toEqual(['state.json', 'state.meta.json']);
  });

  it('cannot be told, and is not reported, where the version of the meta file is no longer kept', async () => {
    await write(await MirrorFolder.open(dir), at(1));
    writeFileSync(join(dir, 'plan', 'state.json'), '{}');
    const nothing = () => Promise.resolve(null);
    expect(await write(await MirrorFolder.open(dir), at(3), nothing)).toEqual({ changed: true, edited: [] });
  });
});

it('a folder that is in the way is written once it is gone', async () => {
  const folder = await MirrorFolder.open(dir);
  writeFileSync(join(dir, 'a-file'), '');
  await expect(MirrorFolder.open(join(dir, 'a-file'))).rejects.toThrow(/EEXIST|ENOTDIR/);
  const tree = await folder.treeOf(at(1));
  writeFileSync(join(dir, 'plan'), 'in its way');
  await expect(tree.write(at(1), [], kept)).rejects.toThrow();
  rmSync(join(dir, 'plan'));
  expect(await tree.write(at(1), [], kept)).toMatchObject({ changed: true });
});
