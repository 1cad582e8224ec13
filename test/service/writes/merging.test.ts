// Writes on a base: merged with what others wrote, refused, or taken as they are; and what a session is known to have seen.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/domain/json/json.js';
import type { Countersign } from '../../../src/ports/service.js';
import { must, openHarness, failure, type Harness } from '../harness.js';

const SCHEMA = {
  type: 'object',
  properties: {
    n: { type: 'integer', maximum: 100 },
    tasks: {
      type: 'array',
      'x-key': 'id',
      items: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    },
  },
};
const FIRST = {
  n: 0,
  a: 0,
  b: 0,
  tasks: [
    { id: 'x', s: 0 },
    { id: 'y', s: 0 },
  ],
};

let harness: Harness;
let id: string;
let one: Countersign;
let two: Countersign;
beforeEach(async () => {
  harness = await openHarness();
  const { operator } = harness;
  must(await operator.schemas.register({ name: 'plan', json_schema: SCHEMA }));
  must(await operator.sessions.create({ session_name: 'root', external: true }));
  id = must(
    await operator.states.create({ schema_name: 'plan', initial_data: FIRST, root_session_name: 'root' }),
  ).state_id;
  for (const [name, scope] of [
    ['one', undefined],
    ['two', undefined],
    ['narrow', ['/a']],
  ] as const) {
    must(
      await operator.sessions.create({
        session_name: name,
        parent_session_name: 'root',
        external: true,
        ...(scope === undefined ? {} : { completion: { write_scope: [...scope] } }),
      }),
    );
  }
  one = await harness.as('one');
  two = await harness.as('two');
});
afterEach(() => harness.close());

const data = async () => must(await harness.operator.states.get(id)).current_data;
const version = async () => must(await harness.operator.states.get(id)).version;
const put = (by: Countersign, document: JsonValue, options = {}) => by.states.replace(id, document, options);
const theirs = (members: JsonObject) => harness.operator.states.mergePatch(id, members, {}).then(must);

describe('a write that names its base', () => {
  it('keeps what others wrote since, in whatever form it comes', async () => {
    await theirs({ b: 1 });
    expect(must(await put(one, { ...FIRST, a: 1 }, { baseVersion: 1 }))).toMatchObject({
      version: 3,
      changed: true,
      merged: true,
      current_data: { ...FIRST, a: 1, b: 1 },
    });
    const patch = [
      { op: 'test', path: '/a', value: 0 },
      { op: 'replace', path: '/n', value: 5 },
    ];
    expect(must(await one.states.patch(id, patch, { baseVersion: 1 }))).toMatchObject({
      version: 4,
      merged: true,
    });
    must(await one.states.mergePatch(id, { more: true }, { baseVersion: 2 }));
    expect(await data()).toEqual({ ...FIRST, a: 1, b: 1, n: 5, more: true });
    const { events } = must(await one.states.events(id, { since: 2 }));
    expect(events.map(({ kind, patch: change }) => [kind, change])).toEqual([
      ['replace', [{ op: 'replace', path: '/a', value: 1 }]],
      ['json_patch', [{ op: 'replace', path: '/n', value: 5 }]],
      ['merge_patch', [{ op: 'add', path: '/more', value: true }]],
    ]);
  });

  it('merges the items of an array with a key by that key', async () => {
    await theirs({ tasks: [{ id: 'new' }, { id: 'y', s: 1 }, { id: 'x', s: 0 }] });
    must(await one.states.patch(id, [{ op: 'replace', path: '/tasks/0/s', value: 2 }], { baseVersion: 1 }));
    expect((await data())['tasks']).toEqual([{ id: 'new' }, { id: 'y', s: 1 }, { id: 'x', s: 2 }]);
  });

  it('is refused where both changed one place, and says which; nothing is written', async () => {
    await theirs({ a: 1, b: 1, tasks: [{ id: 'y', s: 0 }] });
    const before = harness.dump();
    const found = failure(
      await put(harness.operator, { ...FIRST, a: 2, n: 2, tasks: [{ id: 'x', s: 1 }] }, { baseVersion: 1 }),
    );
    expect(found).toMatchObject({
      error: 'merge_conflict',
      members: { base_version: 1, current_version: 2 },
    });
    expect(found.members['conflicts']).toEqual([
      { pointer: '/a', base: 0, theirs: 1, yours: 2 },
      { pointer: '/tasks/0', base: { id: 'x', s: 0 }, yours: { id: 'x', s: 1 } },
    ]);
    expect(found.detail).toContain('first /a');
    expect(harness.dump()).toBe(before);
  });

  it('lists no more conflicts than it may, and long values in short', async () => {
    const many = (value: JsonValue) =>
      Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`m${i}`, value]));
    await theirs(many('x'.repeat(5000)));
    const { members } = failure(await put(one, { ...FIRST, ...many(2) }, { baseVersion: 1 }));
    expect(members['conflicts']).toHaveLength(20);
    expect(members['conflicts_total']).toBe(30);
    expect(JSON.stringify(members).length).toBeLessThan(10_000);
  });

  it('wins the places in conflict with overwrite, and only these', async () => {
    await theirs({ a: 1, b: 1 });
    must(await put(one, { ...FIRST, a: 2 }, { baseVersion: 1, onConflict: 'overwrite' }));
    expect(await data()).toEqual({ ...FIRST, a: 2, b: 1 });
  });

  it('is refused with reject as soon as others have written anything', async () => {
    must(await put(one, { ...FIRST, a: 1 }, { baseVersion: 1, onConflict: 'reject' }));
    const before = harness.dump();
    const result = await put(harness.operator, { ...FIRST, b: 1 }, { baseVersion: 1, onConflict: 'reject' });
    expect(failure(result)).toMatchObject({
      error: 'version_conflict',
      members: { current_version: 2, your_version: 1, current_data: { ...FIRST, a: 1 } },
    });
    expect(harness.dump()).toBe(before);
  });

  it('is refused with reject also where others have changed the document and back', async () => {
    await theirs({ a: 1 });
    must(await put(harness.operator, FIRST, {}));
    const result = await put(one, { ...FIRST, b: 1 }, { baseVersion: 1, onConflict: 'reject' });
    expect(failure(result)).toMatchObject({ error: 'version_conflict', members: { current_version: 3 } });
  });

  it('is held to the schema as a merged document', async () => {
    must(
      await harness.operator.schemas.register({
        name: 'few',
        json_schema: { type: 'object', maxProperties: 2 },
      }),
    );
    const few = must(await harness.operator.states.create({ schema_name: 'few', initial_data: {} })).state_id;
    must(await harness.operator.states.replace(few, { a: 1 }, {}));
    const result = await harness.operator.states.replace(few, { b: 1, c: 1 }, { baseVersion: 1 });
    expect(failure(result).error).toBe('validation_failed');
  });

  it('is not blamed for what others changed outside of its scope, only for its own', async () => {
    const narrow = await harness.as('narrow');
    await theirs({ b: 1, n: 1 });
    expect(must(await put(narrow, { ...FIRST, a: 1 }, { baseVersion: 1 })).current_data).toEqual({
      ...FIRST,
      a: 1,
      b: 1,
      n: 1,
    });
    const outside = failure(
      await put(narrow, { ...FIRST, a: 2, n: 7 }, { baseVersion: 1, onConflict: 'overwrite' }),
    );
    expect(outside).toMatchObject({
      error: 'write_scope_violation',
      members: { pointer: '/n', allowed: ['/a'] },
    });
    // The same document without its base takes others' work back: that is the writer's doing.
    expect(failure(await put(narrow, { ...FIRST, a: 2 })).error).toBe('write_scope_violation');
  });

  it('answers a dry run with what would be, and notes nothing', async () => {
    await theirs({ b: 1 });
    const before = harness.dump();
    expect(must(await put(one, { ...FIRST, a: 1 }, { baseVersion: 1, dryRun: true }))).toMatchObject({
      version: 3,
      merged: true,
      current_data: { a: 1, b: 1 },
    });
    expect(failure(await put(one, FIRST, { baseVersion: 'last_read' })).error).toBe('base_unknown');
    expect(harness.dump()).toBe(before);
  });

  it('changes nothing where it says what is there already', async () => {
    await theirs({ a: 1 });
    expect(must(await put(one, { ...FIRST, a: 1 }, { baseVersion: 1 }))).toMatchObject({
      version: 2,
      changed: false,
      merged: false,
    });
  });

  it.each([
    ['newer than the state', { baseVersion: 9 }, 'version_conflict', { current_version: 1, your_version: 9 }],
    ['last read by nobody', { baseVersion: 'last_read' }, 'base_unknown', { current_version: 1 }],
    ['that is none, but with on_conflict', { onConflict: 'merge' }, 'invalid_request', {}],
    [
      'that fits, with an expected version that does not',
      { baseVersion: 1, expectedVersion: 2 },
      'version_conflict',
      {},
    ],
  ] as const)('is refused with a base %s', async (_title, options, error, members) => {
    const before = harness.dump();
    expect(failure(await put(harness.operator, { ...FIRST, a: 9 }, options))).toMatchObject({
      error,
      members,
    });
    expect(harness.dump()).toBe(before);
  });

  it('is refused where its patch does not fit its base, whatever is there now', async () => {
    await theirs({ a: 1 });
    const patch = [{ op: 'test', path: '/a', value: 1 }];
    expect(failure(await one.states.patch(id, patch, { baseVersion: 1 }))).toMatchObject({
      error: 'patch_failed',
      members: { operation_index: 0 },
    });
  });
});

describe('what a session last read', () => {
  const lastRead = { baseVersion: 'last_read' } as const;

  it('is unknown until it reads, and then the version that it read', async () => {
    expect(failure(await put(one, FIRST, lastRead))).toMatchObject({
      error: 'base_unknown',
      detail: expect.stringContaining('has not read the state yet'),
    });
    must(await one.states.get(id));
    await theirs({ b: 1 });
    must(await put(one, { ...FIRST, a: 1 }, lastRead));
    expect(await data()).toEqual({ ...FIRST, a: 1, b: 1 });
  });

  it.each(['a', 'b'])('is each part of those that it reads at the same time, such as /%s', async (key) => {
    const read = await Promise.all(['/a', '/b'].map((pointer) => one.states.getAt(id, pointer)));
    expect(read.map(must)).toMatchObject([{ value: 0 }, { value: 0 }]);
    must(await one.keys.remove('one', key, lastRead));
  });

  it('is not moved by a look at the past', async () => {
    await theirs({ b: 1 });
    must(await one.states.get(id));
    must(await one.states.get(id, 1));
    must(await put(one, { ...FIRST, b: 2 }, lastRead));
    expect(await data()).toEqual({ ...FIRST, b: 2 });
  });

  it('is its own document after a write that was merged: it composes from memory, and loses nobody anything', async () => {
    must(await one.states.get(id));
    await theirs({ b: 1 });
    must(await put(one, { ...FIRST, a: 1 }, lastRead));
    await theirs({ n: 3 });
    // Again the whole document, from memory: b and n as they were at first, a of its own changed once more.
    must(await put(one, { ...FIRST, a: 2, mine: true }, lastRead));
    expect(await data()).toEqual({ ...FIRST, a: 2, b: 1, n: 3, mine: true });
    // What it takes out again is its own.
    must(await put(one, { ...FIRST, a: 3 }, lastRead));
    expect(await data()).toEqual({ ...FIRST, a: 3, b: 1, n: 3 });
    expect(failure(await put(one, { ...FIRST, a: 3, b: 7 }, lastRead))).toMatchObject({
      error: 'merge_conflict',
      members: { conflicts: [{ pointer: '/b', base: 0, theirs: 1, yours: 7 }] },
    });
  });

  it('holds its patches without a base too, and they are no conflict with itself', async () => {
    must(await one.states.get(id));
    await theirs({ b: 1 });
    must(await one.states.patch(id, [{ op: 'replace', path: '/a', value: 1 }], {}));
    must(await one.states.ops(id, [{ op: 'increment', pointer: '/a', delta: 1 }], {}));
    must(await put(one, { ...FIRST, a: 3 }, lastRead));
    expect(await data()).toEqual({ ...FIRST, a: 3, b: 1 });
  });

  it('is the new version after a write on top of everything, or of the whole document without a base', async () => {
    must(await one.states.get(id));
    must(await put(one, { ...FIRST, a: 1 }, lastRead));
    await theirs({ b: 1 });
    must(await put(one, { ...FIRST, a: 2 }, lastRead));
    expect(await data()).toEqual({ ...FIRST, a: 2, b: 1 });
    must(await put(two, { only: 2 }));
    must(await put(two, { only: 3 }, lastRead));
    expect(await data()).toEqual({ only: 3 });
  });

  it('takes in what it read in part', async () => {
    must(await one.states.get(id));
    await theirs({ a: 1, b: 1 });
    must(await one.states.getAt(id, '/a'));
    await new Promise((resolve) => setImmediate(resolve));
    must(await put(one, { ...FIRST, a: 2 }, lastRead));
    expect(await data()).toEqual({ ...FIRST, a: 2, b: 1 });
    expect(failure(await put(one, { ...FIRST, a: 2, b: 2 }, lastRead)).error).toBe('merge_conflict');
  });

  it.each([
    ['a pointer', () => one.states.getAt(id, '/a')],
    ['a key', () => one.keys.get('one', 'a')],
  ] as const)(
    'is only that part where it has read %s: no whole document is taken on it',
    async (_title, read) => {
      must<unknown>(await read());
      await new Promise((resolve) => setImmediate(resolve));
      const before = harness.dump();
      expect(failure(await put(one, { a: 2 }, lastRead))).toMatchObject({
        error: 'base_unknown',
        detail: expect.stringContaining('only parts of the state (/a)'),
        members: { parts: ['/a'] },
      });
      expect(harness.dump()).toBe(before);
      must(await one.states.get(id));
      must(await put(one, { ...FIRST, a: 2 }, lastRead));
    },
  );

  it('lets patches on a part that was read alone be merged, and see what others did there', async () => {
    must(await one.states.getAt(id, '/a'));
    await new Promise((resolve) => setImmediate(resolve));
    await theirs({ b: 1 });
    const set = (value: number) => [{ op: 'replace', path: '/a', value }];
    must(await one.states.patch(id, set(1), lastRead));
    must(await one.states.patch(id, set(2), lastRead));
    expect(await data()).toEqual({ ...FIRST, a: 2, b: 1 });
    expect(failure(await put(one, { a: 3 }, lastRead)).error).toBe('base_unknown');
    await theirs({ a: 9 });
    expect(failure(await one.states.patch(id, set(4), lastRead)).error).toBe('merge_conflict');
  });

  it('survives a restart', async () => {
    must(await one.states.get(id));
    await theirs({ b: 1 });
    must(await put(one, { ...FIRST, a: 1 }, lastRead));
    await harness.restart();
    one = await harness.as('one');
    must(await put(one, { ...FIRST, a: 2 }, lastRead));
    expect(await data()).toEqual({ ...FIRST, a: 2, b: 1 });
  });

  it('is in the database soon after the read, and goes with its state', async () => {
    must(await one.states.get(id));
    expect(harness.dump()).not.toContain('"own_version"');
    await expect.poll(() => harness.dump()).toContain('"own_version":1');
    must(await harness.operator.states.remove(id));
    expect(harness.dump()).not.toContain('"own_version"');
  });

  it('is read too by the session that asks for the state of its tree', async () => {
    must(await one.sessions.state('one'));
    await theirs({ b: 1 });
    must(await put(one, { ...FIRST, a: 1 }, lastRead));
    expect(await data()).toEqual({ ...FIRST, a: 1, b: 1 });
  });
});

describe('twenty sessions that each replace the whole document with their own part changed', () => {
  const names = Array.from({ length: 20 }, (_, i) => `child-${i}`);
  async function play(options: object) {
    for (const name of names) {
      must(
        await harness.operator.sessions.create({
          session_name: name,
          parent_session_name: 'root',
          external: true,
        }),
      );
    }
    const sessions = await Promise.all(names.map((name) => harness.as(name)));
    const read = await Promise.all(
      sessions.map(async (session) => must(await session.states.get(id)).current_data),
    );
    await Promise.all(
      sessions.map(async (session, i) => put(session, { ...read[i]!, [names[i]!]: i }, options).then(must)),
    );
    return Object.keys(await data()).filter((name) => name.startsWith('child-')).length;
  }
  it('leave all parts behind on what they last read', async () => {
    expect(await play({ baseVersion: 'last_read' })).toBe(20);
    expect(await version()).toBe(21);
  });
  it('leave one behind without a base', async () => {
    expect(await play({})).toBe(1);
  });
});
