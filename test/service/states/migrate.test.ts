// Moving states between versions of their schema, alone and among other writers, and what may stay as it was.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Result } from '../../../src/domain/errors.js';
import type { JsonObject } from '../../../src/domain/json/json.js';
import { must, openHarness, failure, type Harness } from '../harness.js';

const V1: JsonObject = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const V2: JsonObject = {
  type: 'object',
  properties: { n: { type: 'integer' }, owner: { type: 'string' }, tags: { type: 'array', maxItems: 2 } },
  required: ['n', 'owner'],
  additionalProperties: false,
};
const V3: JsonObject = { type: 'object', properties: { n: { type: 'integer', 'x-monotonic': true } } };
const OWNER = { op: 'add', path: '/owner', value: 'ann' };

describe('a migration', () => {
  let harness: Harness;
  let id: string;
  let root: string;
  beforeEach(async () => {
    harness = await openHarness();
    for (const json_schema of [V1, V2, V3]) {
      must(await harness.operator.schemas.register({ name: 'plan', json_schema }));
    }
    const created = must(
      await harness.operator.states.create({
        schema_name: 'plan',
        schema_version: 1,
        initial_data: { n: 1, tags: ['a', 'b', 'c'] },
      }),
    );
    id = created.state_id;
    root = created.root_session_name;
  });
  afterEach(async () => {
    expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
    await harness.close();
  });
  const states = () => harness.operator.states;
  const toTwo = { schema_version: 2, operations: [OWNER, { op: 'remove', path: '/tags/2' }] };

  it('changes schema and document as one write, and the history tells which version held when', async () => {
    must(await states().mergePatch(id, { n: 2 }, {}));
    const after = must(await states().migrate(id, toTwo, {}));
    expect(after).toMatchObject({ version: 3, schema_version: 2, changed: true });
    expect(after).not.toHaveProperty('warnings');
    expect(after.current_data).toEqual({ n: 2, owner: 'ann', tags: ['a', 'b'] });
    must(await states().migrate(id, { schema_version: 3 }, {}));
    must(await states().mergePatch(id, { n: 5 }, {}));
    await harness.restart();
    const seen = await Promise.all(
      [1, 2, 3, 4, 5].map(async (version) => must(await states().get(id, version)).schema_version),
    );
    expect(seen).toEqual([1, 1, 2, 3, 3]);
    const { events } = must(await states().events(id, {}));
    expect(events.map(({ kind }) => kind)).toEqual([
      'create',
      'merge_patch',
      'migrate',
      'migrate',
      'merge_patch',
    ]);
    const versions = must(await harness.operator.schemas.versions('plan', {})).items;
    const idOf = (version: number) => versions.find((one) => one.version === version)?.schema_id;
    expect(events[2]).toMatchObject({ from_schema_id: idOf(1), to_schema_id: idOf(2) });
    expect(events[1]).not.toHaveProperty('to_schema_id');
  });

  it('holds later writes to the new version, and to its rules', async () => {
    must(await states().migrate(id, { schema_version: 3 }, {}));
    expect(failure(await states().mergePatch(id, { n: 0 }, {})).error).toBe('transition_refused');
  });

  it('may lead back to a lower version', async () => {
    must(await states().migrate(id, toTwo, {}));
    expect(must(await states().migrate(id, { schema_version: 1 }, {}))).toMatchObject({
      version: 3,
      schema_version: 1,
    });
  });

  it('to the version that the state is on, without operations, changes nothing', async () => {
    expect(must(await states().migrate(id, { schema_version: 1 }, {}))).toMatchObject({
      version: 1,
      changed: false,
    });
  });

  it('as a dry run says what would be and changes nothing', async () => {
    const before = harness.dump();
    expect(must(await states().migrate(id, toTwo, { dryRun: true }))).toMatchObject({
      version: 2,
      schema_version: 2,
      changed: true,
    });
    expect(failure(await states().migrate(id, { schema_version: 2 }, { dryRun: true })).error).toBe(
      'validation_failed',
    );
    expect(harness.dump()).toBe(before);
  });

  it.each<[string, object, string, object]>([
    ['to a version that is not there', { schema_version: 9 }, 'schema_not_found', { schema_version: 9 }],
    ['whose document does not fit', { schema_version: 2 }, 'validation_failed', {}],
    [
      'with an operation that fails',
      { schema_version: 2, operations: [{ op: 'remove', path: '/x' }] },
      'patch_failed',
      { operation_index: 0 },
    ],
    ['with operations that are none', { schema_version: 2, operations: { n: 1 } }, 'patch_failed', {}],
    ['with null as operations', { schema_version: 2, operations: null }, 'patch_failed', {}],
    [
      'that breaks a rule of the new version',
      { schema_version: 3, operations: [{ op: 'replace', path: '/n', value: 0 }] },
      'transition_refused',
      {},
    ],
  ])('%s is refused and writes nothing', async (_what, body, error, members) => {
    const before = harness.dump();
    expect(failure(await states().migrate(id, body as never, {}))).toMatchObject({ error, members });
    expect(harness.dump()).toBe(before);
  });

  it('on top of another version than expected is refused', async () => {
    const result = await states().migrate(id, toTwo, { expectedVersion: 4 });
    expect(failure(result)).toMatchObject({
      error: 'version_conflict',
      members: { current_version: 1, your_version: 4 },
    });
  });

  it('is for the root of the tree and for operators', async () => {
    must(
      await harness.operator.sessions.create({
        session_name: 'kid',
        parent_session_name: root,
        external: true,
      }),
    );
    const kid = await harness.as('kid');
    const before = harness.dump();
    expect(failure(await kid.states.migrate(id, toTwo, {})).error).toBe('forbidden');
    expect(harness.dump()).toBe(before);
    expect(must(await (await harness.as(root)).states.migrate(id, toTwo, {})).schema_version).toBe(2);
  });

  it('keeps the version that a history needs from being deleted', async () => {
    must(await states().migrate(id, toTwo, {}));
    const remove = (version: number) => harness.operator.schemas.remove('plan', version);
    for (const version of [1, 2]) expect(failure(await remove(version)).error).toBe('schema_in_use');
    must(await remove(3));
    must(await states().remove(id));
    must(await remove(1));
  });

  it('stands in line with other writers: none is judged by a schema that does not hold any more', async () => {
    const extra = (i: number) => states().patch(id, [{ op: 'add', path: `/extra${i}`, value: i }], {});
    const early = Array.from({ length: 6 }, (_, i) => extra(i));
    const migration = states().migrate(
      id,
      { schema_version: 2, operations: [OWNER, { op: 'remove', path: '/tags' }], allow_existing: true },
      {},
    );
    const late = Array.from({ length: 6 }, (_, i) => extra(100 + i));
    const results = await Promise.all([...early, ...late]);
    const moved = must(await migration);
    for (const one of results) {
      if (one.ok) expect(one.value.version < moved.version).toBe(one.value.schema_version === 1);
      if (one.ok) expect(one.value.version).toBeLessThan(moved.version);
      else expect(one.failure.error).toBe('validation_failed');
    }
    const { events } = must(await states().events(id, { limit: 1000 }));
    expect(events.map((event) => event.version)).toEqual(events.map((_event, i) => i + 1));
  });

  it('that meets another one is prepared again on top of it', async () => {
    const both = await Promise.all([
      states().migrate(id, toTwo, {}),
      states().migrate(id, { schema_version: 3 }, {}),
      states().migrate(id, { schema_version: 1 }, {}),
    ]);
    expect(both.map((one) => must(one)).map((one) => [one.version, one.schema_version])).toEqual([
      [2, 2],
      [3, 3],
      [4, 1],
    ]);
  });

  const TAGS = { op: 'replace', path: '/tags', value: [] };

  describe('that lets existing values stay', () => {
    const allow = { schema_version: 2, allow_existing: true };
    const warned = (value: { warnings?: readonly { pointer: string; keyword: string }[] | undefined }) =>
      (value.warnings ?? []).map(({ pointer, keyword }) => [pointer, keyword]);

    it('reports them, and so does every write elsewhere until they are gone', async () => {
      const moved = must(await states().migrate(id, allow, {}));
      expect(warned(moved)).toEqual([
        ['', 'required'],
        ['/tags', 'maxItems'],
      ]);
      await harness.restart();
      expect(warned(must(await states().mergePatch(id, { n: 2 }, {})))).toHaveLength(2);
      expect(warned(must(await states().mergePatch(id, { n: 3 }, { dryRun: true })))).toHaveLength(2);
      const owned = must(await states().patch(id, [OWNER], {}));
      expect(warned(owned)).toEqual([['/tags', 'maxItems']]);
      const clean = must(await states().mergePatch(id, { tags: ['z'] }, {}));
      expect(clean).not.toHaveProperty('warnings');
      expect(failure(await states().mergePatch(id, { tags: ['a', 'b', 'c'] }, {})).error).toBe(
        'validation_failed',
      );
    });

    it('reports them in the answers to writes of keys, and where nothing changes', async () => {
      must(await states().migrate(id, allow, {}));
      const { keys } = harness.operator;
      const set = (value: number) => ({ type: 'set' as const, key: 'n', value });
      const replaced = () => ({ type: 'full_replace' as const, value: { n: 9, tags: ['a', 'b', 'c'] } });
      const writes: (() => Promise<Result<object>>)[] = [
        () => keys.set(root, 'n', 2, {}),
        () => keys.operate(root, 'n', { operation: 'increment', delta: 1 }, {}),
        () => keys.batch(root, { operations: [{ op: 'set', key: 'n', value: 5 }] }),
        () => keys.append(root, set(6)),
        () => keys.append(root, replaced()),
        () => keys.append(root, replaced()),
        () => keys.set(root, 'n', 9, {}),
        () => states().mergePatch(id, { n: 9 }, {}),
        () => states().mergePatch(id, { n: 9 }, { dryRun: true }),
        () => states().migrate(id, { schema_version: 2 }, {}),
      ];
      const answers = [];
      for (const write of writes) answers.push(warned(must(await write())));
      expect(answers).toEqual(
        writes.map(() => [
          ['', 'required'],
          ['/tags', 'maxItems'],
        ]),
      );
      must(await states().patch(id, [OWNER, TAGS], {}));
      expect(must(await keys.set(root, 'n', 1, {}))).not.toHaveProperty('warnings');
      expect(must(await keys.set(root, 'n', 1, {}))).not.toHaveProperty('warnings');
    });

    it('never lets a write leave a place wrong that it changes, or break another one', async () => {
      must(await states().migrate(id, allow, {}));
      const before = harness.dump();
      const tags = await states().mergePatch(id, { tags: ['a', 'b', 'c', 'd'] }, {});
      expect(failure(tags)).toMatchObject({
        error: 'validation_failed',
        members: { errors: [{ pointer: '/tags', keyword: 'maxItems' }] },
      });
      const other = await states().mergePatch(id, { other: 1 }, {});
      expect(failure(other).members['errors']).toMatchObject([{ pointer: '/other' }]);
      expect(harness.dump()).toBe(before);
    });

    it('does not take what its own operations make wrong', async () => {
      const operations = [{ op: 'add', path: '/tags/-', value: 'd' }];
      const result = await states().migrate(id, { ...allow, operations }, {});
      expect(failure(result).members['errors']).toMatchObject([{ pointer: '/tags' }]);
    });

    it('takes what was wrong before only: nothing that the write makes wrong from afar', async () => {
      const json_schema = {
        type: 'object',
        properties: { old: { type: 'integer' } },
        dependentRequired: { card: ['address'] },
      };
      must(await harness.operator.schemas.register({ name: 'shop', json_schema: { type: 'object' } }));
      must(await harness.operator.schemas.register({ name: 'shop', json_schema }));
      const first = { schema_name: 'shop', schema_version: 1, initial_data: { old: 'text' } };
      const shop = must(await harness.operator.states.create(first)).state_id;
      must(await states().migrate(shop, allow, {}));
      const before = harness.dump();
      const paid = await states().mergePatch(shop, { card: 1 }, {});
      expect(failure(paid).members['errors']).toMatchObject([{ keyword: 'dependentRequired' }]);
      expect(harness.dump()).toBe(before);
      expect(warned(must(await states().mergePatch(shop, { other: 1 }, {})))).toEqual([['/old', 'type']]);
    });

    it('counts only where the state moves to another version', async () => {
      must(await states().migrate(id, { schema_version: 2, operations: [OWNER, TAGS] }, {}));
      const before = harness.dump();
      const operations = [{ op: 'remove', path: '/owner' }];
      const again = await states().migrate(id, { ...allow, operations }, {});
      expect(failure(again).error).toBe('validation_failed');
      expect(harness.dump()).toBe(before);
    });

    it('does not take more than can be told', async () => {
      const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`x${i}`, i]));
      must(await states().mergePatch(id, many, {}));
      expect(failure(await states().migrate(id, allow, {})).error).toBe('validation_failed');
    });
  });
});
