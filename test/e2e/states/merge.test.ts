// Writing beside others, over HTTP and by the command line, with the real program: bases, operators, keys, differences,
// the way back, and a state carried into another database; each with its bad inputs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STORY_MS_MAX } from '../../support/eventually.js';
import { must, Stage } from '../../support/stage.js';

const SCHEMA = {
  type: 'object',
  properties: { n: { type: 'integer' }, log: { type: 'array' } },
};

describe('writing beside others', { timeout: STORY_MS_MAX }, () => {
  let stage: Stage;
  let trees = 0;
  beforeAll(async () => {
    stage = await Stage.open({ runner: null });
    must(await stage.operator.schemas.register({ name: 'shared', json_schema: SCHEMA }));
  });
  afterAll(async () => {
    const doctor = await stage.command('doctor');
    await stage.close();
    expect(doctor).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });

  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(stage.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  }

  /** A root with a state and one child. */
  async function tree(initial_data: object) {
    trees += 1;
    const root = `root-${String(trees)}`;
    const child = `child-${String(trees)}`;
    must(await stage.operator.sessions.create({ session_name: root, external: true }));
    const body = { schema_name: 'shared', initial_data };
    const { status, body: state } = await call('POST', '/workflow-states', body, as(root));
    expect(status).toBe(201);
    must(await stage.as(root).sessions.create({ session_name: child, external: true }));
    return {
      root,
      child,
      id: state.state_id as string,
      path: `/workflow-states/${state.state_id as string}`,
    };
  }
  const as = (name: string) => ({ 'x-agent-session-name': name });
  const errorOf = (answer: { status: number; body: any }) => [answer.status, answer.body.error];
  const dataOf = async (path: string) => (await call('GET', path)).body.current_data;

  it('merges what is based on an older version, and lists what cannot be merged', async () => {
    const { path } = await tree({ n: 0, a: 1, b: 1 });
    expect(
      (await call('PATCH', path, { operations: [{ op: 'replace', path: '/a', value: 2 }] })).status,
    ).toBe(200);
    const merged = await call('PUT', path, { data: { n: 0, a: 1, b: 9 }, base_version: 1 });
    expect([merged.status, merged.body.merged, merged.body.current_data]).toEqual([
      200,
      true,
      { n: 0, a: 2, b: 9 },
    ]);
    const conflict = await call('PUT', path, { data: { n: 0, a: 7, b: 1 }, base_version: 1 });
    expect(errorOf(conflict)).toEqual([409, 'merge_conflict']);
    expect(conflict.body.conflicts).toEqual([{ pointer: '/a', base: 1, theirs: 2, yours: 7 }]);
    const terms = { data: { n: 0, a: 7, b: 1 }, base_version: 1 };
    expect(errorOf(await call('PUT', path, { ...terms, on_conflict: 'reject' }))).toEqual([
      409,
      'version_conflict',
    ]);
    const won = await call('PUT', path, { ...terms, on_conflict: 'overwrite' });
    expect(won.body.current_data).toEqual({ n: 0, a: 7, b: 9 });
    for (const [bad, status, error] of [
      [{ data: {}, base_version: 99 }, 409, 'version_conflict'],
      [{ data: {}, base_version: 0 }, 422, 'invalid_request'],
      [{ data: {}, base_version: 'latest' }, 422, 'invalid_request'],
      [{ data: {}, base_version: 1, on_conflict: 'guess' }, 422, 'invalid_request'],
      [{ data: {}, on_conflict: 'merge' }, 422, 'invalid_request'],
      [{ data: {}, base_version: 'last_read' }, 409, 'base_unknown'],
      [{ data: { n: 'x', a: 1, b: 1 }, base_version: 1 }, 422, 'validation_failed'],
    ] as const) {
      expect([bad, ...errorOf(await call('PUT', path, bad))]).toEqual([bad, status, error]);
    }
    expect(await dataOf(path)).toEqual({ n: 0, a: 7, b: 9 });
  });

  it('merges on what a session last read, by the command line too', async () => {
    const { path, child, id } = await tree({ n: 0, mine: 0 });
    const terms = { data: { n: 0, mine: 1 }, base_version: 'last_read' };
    expect(errorOf(await call('PUT', path, terms, as(child)))).toEqual([409, 'base_unknown']);
    expect((await call('GET', path, undefined, as(child))).status).toBe(200);
    await call('PATCH', path, { operations: [{ op: 'replace', path: '/n', value: 5 }] });
    const merged = await call('PUT', path, terms, as(child));
    expect([merged.status, merged.body.current_data]).toEqual([200, { n: 5, mine: 1 }]);
    const refused = await stage.command('state', 'set', id, '{"n": 0, "mine": 1, "log": 7}', '--base', '1');
    expect(refused.code).toBe(6);
    const conflict = await stage.command('state', 'set', id, '{"n": 3, "mine": 0}', '--base', '1');
    expect(conflict.code).toBe(5);
    expect(conflict.stderr).toContain('/n: theirs 5, yours 3');
  });

  it('applies operators together or not at all', async () => {
    const { path, id } = await tree({ n: 0, log: [] });
    const many = Array.from({ length: 20 }, (_, i) =>
      call('POST', `${path}/ops`, {
        operations: [
          { op: 'increment', pointer: '/n', delta: 1 },
          { op: 'append', pointer: '/log', items: [i] },
        ],
      }),
    );
    for (const { status } of await Promise.all(many)) expect(status).toBe(200);
    const after = await dataOf(path);
    expect([after.n, [...after.log].sort((a, b) => a - b)]).toEqual([
      20,
      Array.from({ length: 20 }, (_, i) => i),
    ]);
    for (const [operations, status] of [
      [{ op: 'increment' }, 422],
      [[{ op: 'multiply', pointer: '/n', by: 2 }], 422],
      [[{ op: 'increment', pointer: '/log', delta: 1 }], 409],
      [
        [
          { op: 'set', pointer: '/n', value: 1 },
          { op: 'increment', pointer: '/none/deep', delta: 1 },
        ],
        422,
      ],
      [[{ op: 'set', pointer: 'n', value: 1 }], 422],
      [[{ op: 'set', pointer: '/n', value: 'x' }], 422],
    ] as const) {
      const answer = await call('POST', `${path}/ops`, { operations });
      expect([operations, answer.status]).toEqual([operations, status]);
    }
    expect(await dataOf(path)).toEqual(after);
    const stale = { operations: [{ op: 'increment', pointer: '/n', delta: 1 }], expected_version: 1 };
    expect(errorOf(await call('POST', `${path}/ops`, stale))).toEqual([409, 'version_conflict']);
    const line = '[{"op": "delete", "pointer": "/log"}, {"op": "merge", "pointer": "", "patch": {"n": 1}}]';
    expect(await stage.command('state', 'ops', id, line)).toMatchObject({ code: 0 });
    expect(await dataOf(path)).toEqual({ n: 1 });
  });

  it('gives a key to one of two who both want it', async () => {
    const { root, child } = await tree({ lock: null });
    const key = `/sessions/${child}/state/keys/lock`;
    const { version } = (await call('GET', key)).body;
    const claims = await Promise.all(
      [root, child].map((name) =>
        call('PUT', key, { value: name }, { ...as(name), 'if-match': `"${String(version)}"` }),
      ),
    );
    expect(claims.map(({ status }) => status).sort()).toEqual([200, 412]);
    const winner = claims[0]?.status === 200 ? root : child;
    expect((await call('GET', key)).body.value).toBe(winner);
    const batch = await call('POST', `/sessions/${root}/state/batch`, {
      operations: [
        { op: 'set', key: 'other', value: 1, if_match: 0 },
        { op: 'set', key: 'lock', value: null, if_match: version },
      ],
    });
    expect([batch.status, batch.body.applied]).toEqual([409, false]);
    expect((await call('GET', `/sessions/${root}/state/keys/other`)).status).toBe(404);
    expect((await call('PUT', key, { value: 1 }, { 'if-match': 'soon' })).status).toBeGreaterThanOrEqual(400);
    expect((await call('PUT', key, {})).status).toBe(422);
    const mismatch = await call('POST', `${key}/ops`, { operation: 'increment', delta: 1 });
    expect(errorOf(mismatch)).toEqual([409, 'key_type_mismatch']);
    const late = await stage.command(
      'state',
      'keys',
      'set',
      'lock',
      '"late"',
      '--session',
      child,
      '--if-match',
      '1',
    );
    expect(late.code).toBe(5);
    const list = await stage.command('state', 'keys', '--session', child, '--json');
    expect(Object.keys(JSON.parse(list.stdout).keys)).toEqual(['lock']);
  });

  it('tells versions apart, and goes back to one', async () => {
    const { path, id } = await tree({ n: 1 });
    await call('PUT', path, { data: { n: 2, more: true } });
    await call('PUT', path, { data: { n: 3 } });
    const there = (await call('GET', `${path}/diff?from=1&to=2`)).body;
    expect(there).toMatchObject({ from: 1, to: 2 });
    expect(there.patch).toHaveLength(2);
    const back = await stage.command('state', 'diff', id, '--from', '3', '--to', '1');
    expect(JSON.parse(back.stdout)).toEqual([{ op: 'replace', path: '/n', value: 1 }]);
    for (const query of ['from=1&to=9', 'from=9']) {
      expect(errorOf(await call('GET', `${path}/diff?${query}`))).toEqual([404, 'version_not_found']);
    }
    for (const query of ['', 'from=0', 'from=x', 'from=1&until=2']) {
      expect(errorOf(await call('GET', `${path}/diff?${query}`))).toEqual([422, 'invalid_request']);
    }
    const dry = await stage.command('state', 'revert', id, '--to', '2', '--dry-run');
    expect(dry).toMatchObject({ code: 0, stdout: `${id}  version 4, if it were not a dry run\n` });
    const stale = await call('POST', `${path}/revert`, { to_version: 2, expected_version: 1 });
    expect(errorOf(stale)).toEqual([409, 'version_conflict']);
    expect(errorOf(await call('POST', `${path}/revert`, { to_version: 9 }))).toEqual([
      404,
      'version_not_found',
    ]);
    expect(errorOf(await call('POST', `${path}/revert`, {}))).toEqual([422, 'invalid_request']);
    const reverted = await call('POST', `${path}/revert`, { to_version: 2 });
    expect([reverted.body.version, reverted.body.current_data]).toEqual([4, { n: 2, more: true }]);
    expect((await call('POST', `${path}/revert`, { to_version: 4 })).body.changed).toBe(false);
    expect((await stage.command('state', 'diff', id, '--from', '8')).code).toBe(4);
  });

  it('carries a state into another database, and back into this one', async () => {
    const { path, id } = await tree({ n: 1, text: 'grün \u2028 "quoted"', deep: [{ a: [null, 1.5e-7] }] });
    await call('PATCH', path, { operations: [{ op: 'replace', path: '/n', value: 2 }] });
    const file = join(stage.dir, 'state.json');
    expect(await stage.command('state', 'export', id, '--history', '--out', file)).toMatchObject({ code: 0 });
    const exported = JSON.parse(readFileSync(file, 'utf8'));
    expect(exported).toMatchObject({ format: 'countersign-state', version: 2, schema: { name: 'shared' } });
    expect(exported.events.map((one: any) => one.kind)).toEqual(['create', 'json_patch']);
    const other = await Stage.open({ runner: null });
    try {
      const made = await other.command('state', 'import', file, '--json');
      expect(made.code).toBe(0);
      const state = JSON.parse(made.stdout);
      expect(state).toMatchObject({ version: 1, schema_name: 'shared', schema_version: 1 });
      expect(state.current_data).toEqual(await dataOf(path));
      const again = await other.command('state', 'import', file, '--root-session', state.root_session_name);
      expect(again.code).toBe(5);
      const twin = await other.command('state', 'import', file, '--schema-name', 'twin', '--json');
      expect(JSON.parse(twin.stdout)).toMatchObject({ schema_name: 'twin', schema_version: 1 });
      expect(must(await other.operator.schemas.versions('shared', {})).items).toHaveLength(1);
      const wrong = { ...exported, current_data: { n: 'x' } };
      writeFileSync(file, JSON.stringify(wrong));
      expect((await other.command('state', 'import', file)).code).toBe(6);
      writeFileSync(file, JSON.stringify({ ...exported, format: 'something' }));
      expect((await other.command('state', 'import', file)).code).toBe(2);
      expect(await other.command('doctor')).toMatchObject({ code: 0 });
    } finally {
      await other.close();
    }
    const piped = await stage.command('state', 'export', id);
    writeFileSync(file, piped.stdout);
    const home = JSON.parse((await stage.command('state', 'import', file, '--json')).stdout);
    expect(home.state_id).not.toBe(id);
    expect([home.schema_version, home.current_data]).toEqual([1, await dataOf(path)]);
  });
});
