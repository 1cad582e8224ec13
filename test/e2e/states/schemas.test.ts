// Schemas in the life of a state, over HTTP and by the command line: rules of change, compatibility, migration.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STORY_MS_MAX } from '../../support/eventually.js';
import { must, Stage } from '../../support/stage.js';

const V1 = {
  type: 'object',
  properties: {
    phase: { enum: ['plan', 'work', 'done'], 'x-transitions': { plan: ['work'], work: ['done'], done: [] } },
    log: { type: 'array', 'x-append-only': true },
    tasks: {
      type: 'array',
      'x-key': 'id',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          by: { 'x-immutable': true },
          cost: { type: 'integer', 'x-monotonic': true },
        },
        required: ['id'],
      },
    },
  },
};
const V2 = { ...V1, properties: { ...V1.properties, owner: { type: 'string' } }, required: ['owner'] };

describe('a schema', { timeout: STORY_MS_MAX }, () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({ runner: null });
    for (const json_schema of [V1, V2]) {
      must(await stage.operator.schemas.register({ name: 'work', json_schema }));
    }
  });
  afterAll(async () => {
    const doctor = await stage.command('doctor');
    await stage.close();
    expect(doctor).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });

  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(stage.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  };
  const newState = async (initial_data: unknown, version = 1) => {
    const body = { schema_name: 'work', schema_version: version, initial_data };
    const { status, body: state } = await call('POST', '/workflow-states', body);
    expect(status).toBe(201);
    return state.state_id as string;
  };

  it('binds every form of write to its rules of change', async () => {
    const first = { phase: 'plan', log: [1], tasks: [{ id: 'a', by: 'x', cost: 3 }] };
    const path = `/workflow-states/${await newState(first)}`;
    const patch = (operations: unknown) => call('PATCH', path, { operations });
    const refused = async (answer: Promise<{ status: number; body: any }>) => {
      const { status, body } = await answer;
      expect([status, body.error]).toEqual([422, 'transition_refused']);
      return body.errors.map((one: any) => `${one.keyword} ${one.pointer}`);
    };
    expect(await refused(call('PUT', path, { data: { ...first, log: [] } }))).toEqual(['x-append-only /log']);
    expect(await refused(patch([{ op: 'replace', path: '/phase', value: 'done' }]))).toEqual([
      'x-transitions /phase',
    ]);
    expect(await refused(patch([{ op: 'remove', path: '/tasks/0' }]))).toEqual([
      'x-immutable /tasks/0/by',
      'x-monotonic /tasks/0/cost',
    ]);
    const twice = [{ op: 'add', path: '/tasks/-', value: { id: 'a' } }];
    expect(await refused(patch(twice))).toEqual(['x-key /tasks/1/id']);
    const merge = { 'content-type': 'application/merge-patch+json' };
    const moved = [{ id: 'b' }, { id: 'a', by: 'x', cost: 4 }];
    expect(
      await refused(call('PATCH', path, { tasks: [{ id: 'a', by: 'y', cost: 1 }] }, merge)),
    ).toHaveLength(2);
    const kept = await call('PATCH', path, { tasks: moved, phase: 'work', log: [1, 2] }, merge);
    expect([kept.status, kept.body.version]).toEqual([200, 2]);
  });

  it('is refused where a rule stands on a place that cannot be matched', async () => {
    const json_schema = { type: 'object', properties: { a: { anyOf: [{ 'x-immutable': true }] } } };
    const { status, body } = await call('POST', '/workflow-schemas', { name: 'bad', json_schema });
    expect([status, body.error, body.errors[0].pointer]).toEqual([
      422,
      'invalid_schema',
      '/properties/a/anyOf/0/x-immutable',
    ]);
  });

  it('is changed for a state by a migration, whatever else is written meanwhile', async () => {
    const id = await newState({ phase: 'plan' });
    const path = `/workflow-states/${id}/migrate`;
    for (const [body, status, error] of [
      [{ schema_version: 2 }, 422, 'validation_failed'],
      [{ schema_version: 7 }, 404, 'schema_not_found'],
      [{ schema_version: 0 }, 422, 'invalid_request'],
      [{}, 422, 'invalid_request'],
      [{ schema_version: 2, force: true }, 422, 'invalid_request'],
      [{ schema_version: 2, operations: [{ op: 'remove', path: '/x' }] }, 422, 'patch_failed'],
      [{ schema_version: 2, expected_version: 9 }, 409, 'version_conflict'],
    ] as const) {
      const answer = await call('POST', path, body);
      expect([answer.status, answer.body.error]).toEqual([status, error]);
    }
    const missing = await call('POST', '/workflow-states/wfstate_none/migrate', { schema_version: 2 });
    expect([missing.status, missing.body.error]).toEqual([404, 'state_not_found']);
    const operations = [{ op: 'add', path: '/owner', value: 'ann' }];
    const would = await call('POST', `${path}?dry_run=true`, { schema_version: 2, operations });
    expect([would.status, would.body.version, would.body.schema_version]).toEqual([200, 2, 2]);
    const logs = Array.from({ length: 30 }, (_, i) =>
      call('PATCH', `/workflow-states/${id}`, { operations: [{ op: 'add', path: `/n${i}`, value: i }] }),
    );
    const moved = await call('POST', path, { schema_version: 2, operations });
    expect([moved.status, moved.body.schema_version]).toEqual([200, 2]);
    for (const { status, body } of await Promise.all(logs)) {
      expect(status).toBe(200);
      expect(body.schema_version).toBe(body.version < moved.body.version ? 1 : 2);
    }
    const { events } = (await call('GET', `/workflow-states/${id}/events?limit=100`)).body;
    expect(events.map((one: any) => one.version)).toEqual(Array.from({ length: 32 }, (_, i) => i + 1));
    for (const { version } of events) {
      const past = (await call('GET', `/workflow-states/${id}?at_version=${version}`)).body;
      expect(past.schema_version).toBe(version < moved.body.version ? 1 : 2);
    }
    const deletion = await call('DELETE', '/workflow-schemas/work/versions/1');
    expect([deletion.status, deletion.body.error]).toEqual([409, 'schema_in_use']);
  });

  it('lets a value stay that a migration has brought along, until it is touched', async () => {
    const id = await newState({ phase: 'plan' });
    const moved = await stage.command('state', 'migrate', id, '--to', '2', '--allow-existing');
    expect(moved.code).toBe(0);
    expect(moved.stderr).toContain('"owner" is missing');
    const path = `/workflow-states/${id}`;
    const elsewhere = await call('PATCH', path, { operations: [{ op: 'add', path: '/n', value: 1 }] });
    expect(elsewhere.body.warnings).toMatchObject([{ pointer: '', keyword: 'required' }]);
    const wrong = await call('PATCH', path, { operations: [{ op: 'add', path: '/owner', value: 7 }] });
    expect([wrong.status, wrong.body.error]).toEqual([422, 'validation_failed']);
    const right = await call('PATCH', path, { operations: [{ op: 'add', path: '/owner', value: 'ann' }] });
    expect(right.body).not.toHaveProperty('warnings');
    const gone = await call('PATCH', path, { operations: [{ op: 'remove', path: '/owner' }] });
    expect([gone.status, gone.body.error]).toEqual([422, 'validation_failed']);
  });

  it('keeps what its name promises, and says what stands in the way', async () => {
    const post = (json_schema: unknown, more: object = {}, query = '') =>
      call('POST', `/workflow-schemas${query}`, { name: 'promise', json_schema, ...more });
    const first = { type: 'object', properties: { n: { type: 'integer' } } };
    const wide = { type: 'object', properties: { n: { type: 'number' } } };
    const strict = { ...wide, required: ['n'], properties: { n: { type: 'number', maximum: 5 } } };
    expect((await post(first, { compatibility: 'sideways' })).body.error).toBe('invalid_request');
    const made = await post(first, { compatibility: 'backward' });
    expect([made.status, made.body.compatibility]).toEqual([201, 'backward']);
    expect((await post(wide)).status).toBe(201);
    const refused = await post(strict);
    expect([refused.status, refused.body.error, refused.body.verdict]).toEqual([
      409,
      'incompatible_schema',
      'incompatible',
    ]);
    expect(refused.body.differences.map((one: any) => [one.version, one.pointer, one.rule])).toEqual([
      [2, '/required/0', 'required'],
      [2, '/properties/n/maximum', 'maximum'],
    ]);
    const unknown = await post({ ...wide, not: { required: ['x'] } });
    expect([unknown.status, unknown.body.verdict]).toEqual([409, 'unknown']);
    const known = await post(first, { compatibility: 'full_transitive' });
    expect([known.status, known.body.version, known.body.compatibility]).toEqual([200, 1, 'full_transitive']);
    const both = await post({ ...wide, properties: { n: { type: ['number', 'null'] } } });
    expect(both.body.differences.map((one: any) => [one.direction, one.version])).toEqual([
      ['forward', 2],
      ['forward', 1],
    ]);
  });

  it('is tried against the live states before it is registered', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } } };
    must(await stage.operator.schemas.register({ name: 'tried', json_schema: schema }));
    const states = await Promise.all(
      Array.from({ length: 25 }, (_, n) =>
        stage.operator.states.create({ schema_name: 'tried', initial_data: { n } }),
      ),
    );
    expect(states.every((one) => one.ok)).toBe(true);
    const next = { type: 'object', properties: { n: { type: 'integer', maximum: 20 } } };
    const body = { name: 'tried', json_schema: next, compatibility: 'backward' };
    const { status, body: answer } = await call('POST', '/workflow-schemas?dry_run=true', body);
    expect([status, answer.would_create_version]).toEqual([200, 2]);
    expect(answer.compatibility).toMatchObject({
      verdict: 'incompatible',
      differences: [{ rule: 'maximum' }],
    });
    expect(answer.live_states).toMatchObject({ checked: 25, all: true, failing_count: 4 });
    expect(answer.live_states.failing[0].errors[0]).toMatchObject({ pointer: '/n', keyword: 'maximum' });
    expect(must(await stage.operator.schemas.versions('tried', {})).items).toHaveLength(1);
    const found = await stage.command(
      'schema',
      'diff',
      'work',
      '--from',
      '1',
      '--to',
      '2',
      '--require',
      'backward',
    );
    expect(found.code).toBe(5);
    expect(found.stdout).toContain('backward: incompatible\n  /required/0');
    expect(found.stdout).toContain('forward: compatible');
  });

  it('is migrated to by the command line, with exit codes for what is refused', async () => {
    const id = await newState({});
    const refused = await stage.command('state', 'migrate', id, '--to', '2');
    expect(refused.code).toBe(6);
    const unknown = await stage.command('state', 'migrate', id, '--to', '9');
    expect(unknown.code).toBe(4);
    const operations = '[{"op": "add", "path": "/owner", "value": "ann"}]';
    const done = await stage.command(
      'state',
      'migrate',
      id,
      '--to',
      '2',
      '--operations',
      operations,
      '--json',
    );
    expect(done.code).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ version: 2, schema_version: 2, changed: true });
  });
});
