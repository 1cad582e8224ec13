// `countersign state mirror` as users run it: the real program, a real service, a real folder.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, pause, STORY_MS_MAX } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { isAt, mirrored, Mirrors, writesIn } from '../../support/mirrors.js';
import { must, type Stage } from '../../support/stage.js';

let mirrors: Mirrors;
let stage: Stage;
beforeAll(async () => {
  mirrors = await Mirrors.open();
  ({ stage } = mirrors);
});
afterAll(() => mirrors.close());

describe('a mirror', { timeout: STORY_MS_MAX }, () => {
  test('of a state follows it, and coalesces a burst', async () => {
    const dir = mirrors.newFolder();
    const id = await mirrors.newState('burst', { b: 1, a: { y: 1, x: 2 } });
    const program = await mirrors.start(dir, id);
    expect(readFileSync(join(dir, 'burst', 'state.json'), 'utf8')).toBe(
      '{\n  "a": {\n    "x": 2,\n    "y": 1\n  },\n  "b": 1\n}\n',
    );
    const state = must(await stage.operator.states.get(id));
    expect(mirrored(dir, 'burst').meta).toEqual({
      state_id: id,
      root_session_id: state.root_session_id,
      version: 1,
      schema_name: 'any',
      schema_version: 1,
      updated_at: state.updated_at,
      updated_by: null,
      tags: [],
    });
    for (const name of ['state.json', 'state.meta.json'])
      expect(statSync(join(dir, 'burst', name)).mode & 0o777).toBe(0o600);

    await Promise.all(Array.from({ length: 200 }, (_, n) => mirrors.set(id, { [`n${String(n)}`]: n })));
    await isAt(dir, 'burst', 201);
    expect(mirrored(dir, 'burst').document).toMatchObject({ n0: 0, n199: 199 });
    const ended = await program.end();
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(writesIn(ended)).toBeLessThan(50);
  });

  test('is at most a second behind', async () => {
    const dir = mirrors.newFolder();
    const id = await mirrors.newState('soon');
    const program = await mirrors.start(dir, id);
    const delays: number[] = [];
    for (let n = 0; n < 9; n += 1) {
      const began = performance.now();
      await isAt(dir, 'soon', await mirrors.set(id, { n }));
      delays.push(performance.now() - began);
    }
    await program.end();
    expect(delays.toSorted((a, b) => a - b)[4]).toBeLessThan(1_000);
  });

  test('of everything has new trees, and leaves out what is deleted, also while it was away', async () => {
    const dir = mirrors.newFolder();
    const first = await mirrors.newState('everything-1');
    const program = await mirrors.start(dir, '--all', '--tag', 'ci', 'night');
    const second = await mirrors.newState('everything-2', { new: true });
    await eventually('the new tree', () => existsSync(join(dir, 'everything-2', 'state.meta.json')));
    expect(mirrored(dir, 'everything-2')).toMatchObject({
      document: { new: true },
      meta: { tags: ['ci', 'night'] },
    });
    must(await stage.operator.states.remove(first));
    await eventually('the removal', () => !existsSync(join(dir, 'everything-1')));
    expect(await program.end('SIGINT')).toMatchObject({ code: 0, stderr: '' });

    must(await stage.operator.states.remove(second));
    await (await mirrors.start(dir, '--all')).end();
    expect(existsSync(join(dir, 'everything-2'))).toBe(false);
  });

  test('of a tree has that tree alone, from before it has a state', async () => {
    const dir = mirrors.newFolder();
    must(await stage.operator.sessions.create({ session_name: 'alone', external: true }));
    await mirrors.newState('another');
    await mirrors.start(dir, '--root-session', 'alone');
    const body = { schema_name: 'any', root_session_name: 'alone', initial_data: {} };
    must(await stage.operator.states.create(body));
    await eventually('the state', () => existsSync(join(dir, 'alone', 'state.meta.json')));
    expect(readdirSync(dir)).toEqual(['alone']);
  });

  test('of a state ends when that is deleted, and removes it if that happened before', async () => {
    const dir = mirrors.newFolder();
    const id = await mirrors.newState('deleted');
    const program = await mirrors.start(dir, id);
    must(await stage.operator.states.remove(id));
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(dir)).toEqual([]);

    const other = await mirrors.newState('deleted-before');
    await (await mirrors.start(dir, other)).end();
    must(await stage.operator.states.remove(other));
    const gone = await (await mirrors.launch(dir, [other])).ended;
    expect([gone.code, JSON.parse(gone.stderr)]).toEqual([
      4,
      expect.objectContaining({ error: 'state_not_found' }),
    ]);
    expect(readdirSync(dir)).toEqual([]);
  });

  test('of a tree by name removes it where it was deleted before, also if another has the name', async () => {
    const dir = mirrors.newFolder();
    const sameName = (data: object) => mirrors.newState('named', data);
    const removeTree = async () => must(await stage.operator.sessions.remove('named', { cascade: true }));
    await sameName({ first: true });
    await (await mirrors.start(dir, '--root-session', 'named')).end();
    await removeTree();
    const second = await sameName({ second: true });
    await (await mirrors.start(dir, '--root-session', 'named')).end();
    expect(readdirSync(dir)).toEqual(['named']);
    expect(mirrored(dir, 'named')).toMatchObject({ document: { second: true }, meta: { state_id: second } });

    await removeTree();
    const gone = await (await mirrors.launch(dir, ['--root-session', 'named'])).ended;
    expect([gone.code, JSON.parse(gone.stderr)]).toEqual([
      4,
      expect.objectContaining({ error: 'session_not_found' }),
    ]);
    expect(readdirSync(dir)).toEqual([]);
  });

  test('of a tree by name keeps the files of a state that is still there', async () => {
    const dir = mirrors.newFolder();
    await mirrors.newState('orphan', { kept: true });
    await (await mirrors.start(dir, '--root-session', 'orphan')).end();
    must(await stage.operator.sessions.remove('orphan'));
    expect(await (await mirrors.launch(dir, ['--root-session', 'orphan'])).ended).toMatchObject({ code: 4 });
    expect(mirrored(dir, 'orphan').document).toEqual({ kept: true });
  });

  test('overwrites and reports edits, while it runs and from before', async () => {
    const dir = mirrors.newFolder();
    const id = await mirrors.newState('edited', { n: 1 });
    const program = await mirrors.start(dir, id);
    writeFileSync(join(dir, 'edited', 'state.json'), '{"n": 2}');
    await eventually('the repair', () => (mirrored(dir, 'edited').document as { n: number }).n === 1);
    rmSync(join(dir, 'edited'), { recursive: true });
    await eventually('the repair', () => existsSync(join(dir, 'edited', 'state.meta.json')));
    const { stderr } = await program.end();
    expect(stderr).toContain(`${join(dir, 'edited', 'state.json')} was edited; it is overwritten`);

    writeFileSync(join(dir, 'edited', 'state.json'), '{"n": 3}');
    await mirrors.set(id, { m: 1 });
    const again = await (await mirrors.start(dir, id)).end();
    expect(again.stderr).toBe(`${join(dir, 'edited', 'state.json')} was edited; it is overwritten\n`);
    expect(mirrored(dir, 'edited')).toMatchObject({ document: { n: 1, m: 1 }, meta: { version: 2 } });
    // Nothing happened since: nothing is written.
    expect(writesIn(await (await mirrors.start(dir, id)).end())).toBe(0);
  });

  test('goes on after kills of both sides, with whole files at any time', async () => {
    const dir = mirrors.newFolder();
    const id = await mirrors.newState('killed', { text: 'x'.repeat(50_000), n: 0 });
    const over = new AbortController();
    const reading = (async () => {
      let reads = 0;
      for (; !over.signal.aborted; reads += 1) {
        if (existsSync(join(dir, 'killed', 'state.meta.json'))) mirrored(dir, 'killed');
        await pause(1);
      }
      return reads;
    })();
    let version = 1;
    for (let round = 0; round < 4; round += 1) {
      const program = await mirrors.start(dir, id);
      for (let n = 0; n < 20; n += 1) version = await mirrors.set(id, { n: version });
      await pause(150 * round);
      const ended = await program.end('SIGKILL');
      expect(ended.stderr).toBe('');
    }
    const program = await mirrors.start(dir, id);
    await stage.coordinator.end('SIGKILL');
    await pause(300);
    await stage.startCoordinator();
    version = await mirrors.set(id, { back: true });
    await isAt(dir, 'killed', version);
    over.abort();
    expect(await reading).toBeGreaterThan(10);
    expect((await program.end()).code).toBe(0);
    expect(readdirSync(join(dir, 'killed')).sort()).toEqual(['state.json', 'state.meta.json']);
    expect(mirrored(dir, 'killed').document).toMatchObject({ back: true });
  });

  test('reads the document anew where the past that it missed is compacted', async () => {
    const dir = mirrors.newFolder();
    const id = await mirrors.newState('compacted');
    const program = await mirrors.start(dir, id);
    program.signal('SIGSTOP');
    await Promise.all(Array.from({ length: 400 }, (_, n) => mirrors.set(id, { n })));
    await stage.coordinator.end();
    await stage.startCoordinator(['--history-keep', '5']);
    await eventually(
      'the compaction',
      async () => !(await stage.operator.states.events(id, { since: 1 })).ok,
    );
    program.signal('SIGCONT');
    await isAt(dir, 'compacted', 401);
    expect(await program.end()).toMatchObject({ code: 0, stderr: '' });
    // And the same for a mirror that was away.
    await (await mirrors.start(dir, id)).end();
  });

  test('of many states goes on where one folder is in the way, and takes that when it is free', async () => {
    const dir = mirrors.newFolder();
    const id = await mirrors.newState('in-the-way');
    const other = await mirrors.newState('beside-it');
    const program = await mirrors.start(dir, '--all');
    rmSync(join(dir, 'in-the-way'), { recursive: true });
    writeFileSync(join(dir, 'in-the-way'), 'a file');
    await mirrors.set(id, { n: 1 });
    await eventually('the report', () => program.log.includes(id));
    await isAt(dir, 'beside-it', await mirrors.set(other, { n: 1 }));
    rmSync(join(dir, 'in-the-way'));
    await isAt(dir, 'in-the-way', 2);
    const { code, stderr } = await program.end();
    expect([code, stderr]).toEqual([0, expect.stringContaining(`${id}: it works again`)]);
  });

  test('in a run of a session moves nothing that the session counts as having read', async () => {
    const dir = mirrors.newFolder();
    const id = await mirrors.newState('reader', { n: 1 });
    const session = stage.as('reader');
    must(await session.states.get(id));
    const program = await mirrors.launch(dir, [], { env: { AGENT_SESSION_NAME: 'reader' } });
    await program.printed(/"event":"current"/);
    await mirrors.set(id, { n: 2 });
    await isAt(dir, 'reader', 2);
    const stale = await session.states.replace(id, { n: 3 }, { baseVersion: 'last_read' });
    expect(stale).toMatchObject({ ok: false, failure: { error: 'merge_conflict' } });
  });

  test('is refused plainly', async () => {
    const dir = mirrors.newFolder();
    const ran = async (...args: string[]) => (await mirrors.launch(dir, args)).ended;
    expect(await ran('wfstate_none')).toMatchObject({ code: 4 });
    expect(await ran('--root-session', 'nobody')).toMatchObject({ code: 4 });
    expect(await ran()).toMatchObject({ code: 2 });
    const both = await ran('wfstate_1', '--all');
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('never go together')]);
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'file'), '');
    const blocked = await (await mirrors.launch(join(dir, 'file'), ['--all'])).ended;
    expect([blocked.code, blocked.stderr]).toEqual([2, expect.stringContaining('cannot be used')]);
    const elsewhere = `http://127.0.0.1:${String(await freePort())}`;
    expect(await ran('--all', '--url', elsewhere)).toMatchObject({ code: 3 });
  });
});
