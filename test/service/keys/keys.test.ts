// The key view: the same document by its top-level members, each with a version of its own.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import type { Countersign } from '../../../src/ports/service.js';
import { must, openHarness, failure, type Harness } from '../harness.js';

let harness: Harness;
let stateId: string;
let root: Countersign;
let child: Countersign;
const setUp = async (limits = {}) => {
  harness = await openHarness(limits);
  must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
  root = await harness.as('root');
  stateId = must(await root.keys.open('root', { initial_state: { n: 0, log: [], o: {} } })).state_id;
  must(
    await harness.operator.sessions.create({
      session_name: 'child',
      parent_session_name: 'root',
      external: true,
      completion: { write_scope: ['/mine', '/n', '/log', '/a~1b'] },
    }),
  );
  child = await harness.as('child');
};
beforeEach(() => setUp());
afterEach(() => harness.close());

const versions = async () =>
  Object.fromEntries(
    Object.entries(must(await root.keys.all('root')).keys).map(([key, { version }]) => [key, version]),
  );
const data = async () => must(await harness.operator.states.get(stateId)).current_data;

describe('a state that is opened by keys', () => {
  it('stands on the built-in schema, and is the one that every interface shows', async () => {
    const envelope = must(await root.sessions.state('root'));
    expect(envelope).toMatchObject({ schema_name: 'free-form', schema_version: 1, current_data: { n: 0 } });
    expect(must(await child.keys.all('child'))).toMatchObject({ state_id: stateId, global_version: 1 });
  });
  it('stands on the built-in schema by its name as well, whoever needs that first', async () => {
    const fresh = await openHarness();
    const create = (schema_version: number) =>
      fresh.operator.states.create({ schema_name: 'free-form', schema_version, initial_data: { any: 1 } });
    expect(failure(await create(2)).error).toBe('schema_not_found');
    expect(must(await create(1))).toMatchObject({ schema_name: 'free-form', schema_version: 1 });
    must(await fresh.operator.sessions.create({ session_name: 'other', external: true }));
    const opened = must(await fresh.operator.keys.open('other', { initial_state: {} }));
    expect(opened).toMatchObject({ schema_name: 'free-form', schema_version: 1 });
    await fresh.close();
  });
  it('may stand on another schema, and is opened once, by a root', async () => {
    must(
      await harness.operator.schemas.register({
        name: 'strict',
        json_schema: { type: 'object', maxProperties: 1 },
      }),
    );
    must(await harness.operator.sessions.create({ session_name: 'second', external: true }));
    const second = await harness.as('second');
    const open = (initial_state: JsonObject) =>
      second.keys.open('second', { initial_state, schema_name: 'strict' });
    expect(failure(await open({ a: 1, b: 1 })).error).toBe('validation_failed');
    expect(failure(await second.keys.all('second'))).toMatchObject({ error: 'state_not_found' });
    must(await open({ a: 1 }));
    expect(failure(await open({ a: 1 })).error).toBe('state_exists');
    expect(failure(await child.keys.open('child', { initial_state: {} })).error).toBe('forbidden');
    expect(failure(await second.keys.set('second', 'b', 1, {})).error).toBe('validation_failed');
    expect(failure(await second.keys.all('root')).error).toBe('session_not_found');
    expect(failure(await harness.operator.keys.all('nobody')).error).toBe('session_not_found');
  });
});

describe('a key', () => {
  it('has the version that it last changed with, whichever interface changed it', async () => {
    must(await child.keys.set('child', 'mine', 1, {}));
    must(await root.states.patch(stateId, [{ op: 'add', path: '/log/-', value: 1 }], {}));
    must(await root.states.replace(stateId, { n: 0, log: [1], o: { x: 1 }, mine: 1 }, {}));
    expect(await versions()).toEqual({ n: 1, mine: 2, log: 3, o: 4 });
    await harness.restart();
    root = await harness.as('root');
    expect(await versions()).toEqual({ n: 1, mine: 2, log: 3, o: 4 });
    expect(must(await root.keys.get('root', 'mine'))).toMatchObject({
      value: 1,
      version: 2,
      updated_by: must(await harness.operator.sessions.get('child')).session_id,
      updated_at: '2026-01-01T00:00:00.000Z',
      global_version: 4,
    });
  });

  it('has its version too where a patch of the whole document has changed others', async () => {
    const whole = { n: 0, log: [], o: { big: 'x'.repeat(9000) } };
    must(await root.states.patch(stateId, [{ op: 'replace', path: '', value: whole }], {}));
    must(await root.states.patch(stateId, [{ op: 'move', from: '/n', path: '/m' }], {}));
    expect(await versions()).toEqual({ log: 1, o: 2, m: 3 });
  });

  it('of a state that was deleted is not taken for that of the next state of the tree', async () => {
    must(await root.states.remove(stateId));
    const { state_id: next } = must(await root.keys.open('root', { initial_state: { n: 9 } }));
    const dump = harness.dump();
    const before = { ifMatch: 1, ofState: stateId };
    for (const result of [
      await root.keys.set('root', 'n', 1, before),
      await root.keys.remove('root', 'n', before),
      await root.keys.operate('root', 'n', { operation: 'increment', delta: 1 }, before),
    ]) {
      expect(failure(result)).toMatchObject({
        error: 'version_conflict',
        members: { current_version: 1, your_version: 1, current_value: 9 },
      });
      expect(failure(result).detail).toContain(`not at 1 of ${stateId}`);
    }
    expect(harness.dump()).toBe(dump);
    must(await root.keys.set('root', 'n', 1, { ifMatch: 1, ofState: next }));
    must(await root.keys.set('root', 'n', 2, { ifMatch: 2 }));
  });

  it('is looked for no further back than allowed, and never said to be older than it is', async () => {
    await harness.close();
    await setUp({ keyReplayEventsMax: 5 });
    for (let i = 1; i <= 12; i += 1) must(await root.keys.set('root', 'busy', i, {}));
    await harness.restart();
    root = await harness.as('root');
    expect(await versions()).toEqual({ n: 5, log: 5, o: 5, busy: 13 });
    must(await root.keys.set('root', 'n', 1, { ifMatch: 5 }));
    expect(await versions()).toEqual({ n: 14, log: 5, o: 5, busy: 13 });
  });

  it('is set, changed by operators and deleted; what changes nothing keeps its version', async () => {
    expect(must(await child.keys.set('child', 'a/b', { x: 1 }, {}))).toMatchObject({
      key: 'a/b',
      value: { x: 1 },
      version: 2,
      changed: true,
    });
    expect(must(await child.keys.set('child', 'a/b', { x: 1 }, {}))).toMatchObject({
      version: 2,
      changed: false,
    });
    expect(
      must(await child.keys.operate('child', 'n', { operation: 'increment', delta: 2 }, {})),
    ).toMatchObject({ value: 2 });
    expect(
      must(await child.keys.operate('child', 'log', { operation: 'append', items: [7] }, {})),
    ).toMatchObject({ value: [7] });
    expect(
      must(await child.keys.operate('child', 'a/b', { operation: 'merge', patch: { x: null, y: 2 } }, {})),
    ).toMatchObject({ value: { y: 2 } });
    expect(must(await child.keys.remove('child', 'a/b', {}))).toMatchObject({
      changed: true,
      global_version: 6,
    });
    expect(await data()).toEqual({ n: 2, log: [7], o: {} });
  });

  it.each([
    [
      'of another version',
      () => root.keys.set('root', 'n', 5, { ifMatch: 9 }),
      'version_conflict',
      { key: 'n', current_version: 1, your_version: 9, current_value: 0 },
    ],
    [
      'that is not there, with a version',
      () => root.keys.set('root', 'no', 5, { ifMatch: 1 }),
      'version_conflict',
      { key: 'no', current_version: null },
    ],
    [
      'that is there, to be created',
      () => root.keys.set('root', 'n', 5, { ifAbsent: true }),
      'version_conflict',
      { current_version: 1 },
    ],
    [
      'that is not there, to be deleted',
      () => root.keys.remove('root', 'no', {}),
      'key_not_found',
      { key: 'no' },
    ],
    [
      'of another type',
      () => root.keys.operate('root', 'o', { operation: 'increment', delta: 1 }, {}),
      'key_type_mismatch',
      { pointer: '/o' },
    ],
    [
      'outside of the scope',
      () => child.keys.set('child', 'o', 1, {}),
      'write_scope_violation',
      { pointer: '/o' },
    ],
    ['with a forbidden name', () => root.keys.set('root', '__proto__', 1, {}), 'patch_failed', {}],
    ['that is not there, to be read', () => root.keys.get('root', 'toString'), 'key_not_found', {}],
  ] as const)('%s is refused, and nothing is written', async (_title, write, error, members) => {
    await versions();
    const before = harness.dump();
    const found = failure(await write());
    expect(found).toMatchObject({ error, members });
    if (error !== 'write_scope_violation') {
      expect(JSON.parse(harness.dump()).find(([name]: [string]) => name === 'state_events')).toEqual(
        JSON.parse(before).find(([name]: [string]) => name === 'state_events'),
      );
    }
    expect(await data()).toEqual({ n: 0, log: [], o: {} });
  });
});

describe('writers at once', () => {
  it('of different keys never conflict, each with the version that it read', async () => {
    for (let i = 0; i < 10; i += 1) must(await root.keys.set('root', `k${i}`, 0, {}));
    const before = await versions();
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, i) => root.keys.set('root', `k${i}`, 1, { ifMatch: before[`k${i}`] })),
    );
    expect(results.every(({ ok }) => ok)).toBe(true);
  });
  it('of one key with the same version: exactly one wins', async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) => root.keys.set('root', 'n', i + 1, { ifMatch: 1 })),
    );
    const winners = results.filter(({ ok }) => ok);
    expect(winners).toHaveLength(1);
    for (const one of results.filter(({ ok }) => !ok)) {
      expect(failure(one)).toMatchObject({
        error: 'version_conflict',
        members: { current_version: 2, your_version: 1 },
      });
    }
  });
  it('that create one key: exactly one does', async () => {
    const results = await Promise.all(
      Array.from({ length: 5 }, (_, i) => root.keys.set('root', 'new', i, { ifAbsent: true })),
    );
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  });
});

describe('a batch', () => {
  it('leaves a key that it sets to the value that it has at its version', async () => {
    const operations = [
      { op: 'set' as const, key: 'o', value: {} },
      { op: 'set' as const, key: 'n', value: 1 },
    ];
    expect(must(await root.keys.batch('root', { operations }))).toMatchObject({ changed: true });
    expect(await versions()).toEqual({ n: 2, log: 1, o: 1 });
    const { events } = must(await root.keys.events('root', { since: 1 }));
    expect(events.map(({ key }) => key)).toEqual(['n']);
  });

  it('is applied as one version', async () => {
    const batch = {
      operations: [
        { op: 'set' as const, key: 'x', value: 1, if_match: 0 },
        { op: 'set' as const, key: 'n', value: 5, if_match: 1 },
        { op: 'delete' as const, key: 'o', if_match: '*' as const },
      ],
    };
    expect(must(await root.keys.batch('root', batch))).toMatchObject({
      applied: true,
      changed: true,
      global_version: 2,
      results: [{ key: 'x', status: 'applied' }, { key: 'n' }, { key: 'o', op: 'delete' }],
    });
    expect(await versions()).toEqual({ n: 2, log: 1, x: 2 });
  });
  it('is refused as a whole, with a result for each', async () => {
    const found = failure(
      await root.keys.batch('root', {
        operations: [
          { op: 'set', key: 'log', value: [1] },
          { op: 'set', key: 'n', value: 5, if_match: 7 },
          { op: 'delete', key: 'gone' },
          { op: 'set', key: 'o', value: 1, if_match: 0 },
        ],
      }),
    );
    expect(found).toMatchObject({
      error: 'version_conflict',
      members: { applied: false, global_version: 1 },
    });
    expect(found.members['results']).toEqual([
      { key: 'log', status: 'ok', current_version: 1 },
      { key: 'n', status: 'conflict', current_version: 1, current_value: 0 },
      { key: 'gone', status: 'not_found', current_version: null },
      { key: 'o', status: 'conflict', current_version: 1, current_value: {} },
    ]);
    expect(await data()).toEqual({ n: 0, log: [], o: {} });
  });
  it('sets a key with the condition * only where it exists', async () => {
    const set = (key: string) => ({ op: 'set' as const, key, value: 5, if_match: '*' as const });
    const refused = await root.keys.batch('root', { operations: [set('n'), set('gone')] });
    expect(failure(refused)).toMatchObject({
      error: 'version_conflict',
      members: {
        applied: false,
        results: [
          { key: 'n', status: 'ok', current_version: 1 },
          { key: 'gone', status: 'not_found', current_version: null },
        ],
      },
    });
    expect(await data()).toEqual({ n: 0, log: [], o: {} });
    expect(must(await root.keys.batch('root', { operations: [set('n')] }))).toMatchObject({ changed: true });
    expect(await data()).toEqual({ n: 5, log: [], o: {} });
  });
  it('has a result for a deletion that expects no key, which never holds', async () => {
    const result = await root.keys.batch('root', {
      operations: [
        { op: 'delete', key: 'gone', if_match: 0 },
        { op: 'delete', key: 'n', if_match: 0 },
        { op: 'set', key: 'x', value: 1 },
      ],
    });
    expect(failure(result)).toMatchObject({
      error: 'version_conflict',
      members: {
        applied: false,
        results: [
          { key: 'gone', status: 'not_found', current_version: null },
          { key: 'n', status: 'conflict', current_version: 1, current_value: 0 },
          { key: 'x', status: 'ok' },
        ],
      },
    });
    expect(await data()).toEqual({ n: 0, log: [], o: {} });
  });
  it('names each key once, and not too many', async () => {
    const set = (key: string) => ({ op: 'set' as const, key, value: 1 });
    expect(failure(await root.keys.batch('root', { operations: [set('a'), set('a')] }))).toMatchObject({
      error: 'invalid_request',
      members: { errors: [{ pointer: '/operations/1/key' }] },
    });
    const many = Array.from({ length: 1001 }, (_, i) => set(`k${i}`));
    expect(failure(await root.keys.batch('root', { operations: many })).error).toBe('limit_exceeded');
  });
});

describe('typed events', () => {
  it('tell what happened to each key, and are taken as writes too', async () => {
    const append = async (event: Parameters<typeof root.keys.append>[1]) =>
      must(await root.keys.append('root', event));
    await append({ type: 'set', key: 's', value: 1 });
    await append({ type: 'increment', key: 'n', delta: 3 });
    await append({ type: 'append', key: 'log', items: [1, 2] });
    await append({ type: 'patch', key: 'o', patch: { a: 1 } });
    await append({ type: 'delete', key: 's', if_match: 2 });
    await append({ type: 'full_replace', value: { n: 1 } });
    must(await root.states.mergePatch(stateId, { p: 1, n: 2 }, {}));
    const { events, has_more } = must(await root.keys.events('root', {}));
    expect(has_more).toBe(false);
    expect(
      events.map(({ version, type, key, value, items }) => [version, type, key, value ?? items]),
    ).toEqual([
      [1, 'full_replace', null, undefined],
      [2, 'set', 's', 1],
      [3, 'increment', 'n', 3],
      [4, 'append', 'log', [1, 2]],
      [5, 'patch', 'o', undefined],
      [6, 'delete', 's', undefined],
      [7, 'full_replace', null, undefined],
      [8, 'set', 'p', 1],
      [8, 'set', 'n', 2],
    ]);
    expect(must(await root.keys.events('root', { since: 6, limit: 1 }))).toMatchObject({
      has_more: true,
      events: [{ version: 7 }],
    });
  });
  it('replace the whole on what was last read, where they say so', async () => {
    must(await root.keys.all('root'));
    must(await child.keys.set('child', 'mine', 1, {}));
    must(
      await root.keys.append('root', {
        type: 'full_replace',
        value: { n: 1, log: [], o: {} },
        base_version: 'last_read',
      }),
    );
    expect(await data()).toEqual({ n: 1, log: [], o: {}, mine: 1 });
  });
});
