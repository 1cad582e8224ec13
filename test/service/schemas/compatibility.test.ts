// What names promise of their versions, and what a registration would come to.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import { must, openHarness, failure, type Harness } from '../harness.js';

const base: JsonObject = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const looser: JsonObject = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
const stricter: JsonObject = { ...base, required: ['n', 'm'] };
const other: JsonObject = { type: 'object', properties: { n: { type: 'string' } } };
const unclear: JsonObject = { ...base, not: { required: ['old'] } };

describe('the compatibility of a name', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await openHarness();
  });
  afterEach(() => harness.close());
  const register = (json_schema: JsonObject, compatibility?: string) =>
    harness.operator.schemas.register({
      name: 'plan',
      json_schema,
      ...(compatibility === undefined ? {} : { compatibility: compatibility as 'none' }),
    });
  const tryRegister = (json_schema: JsonObject, compatibility?: string) =>
    harness.operator.schemas.tryRegister({
      name: 'plan',
      json_schema,
      ...(compatibility === undefined ? {} : { compatibility: compatibility as 'none' }),
    });

  it.each<[string, JsonObject, JsonObject, boolean]>([
    ['none', base, other, true],
    ['backward', base, looser, true],
    ['backward', base, stricter, false],
    ['backward', base, unclear, false],
    ['forward', base, looser, false],
    ['forward', base, stricter, true],
    ['full', base, looser, false],
    ['full', base, stricter, false],
    ['full', base, { ...base, title: 'the same but for notes' }, true],
    ['full', base, { ...base, properties: { n: { type: 'integer', 'x-monotonic': true } } }, true],
  ])('%s holds between versions', async (mode, first, second, taken) => {
    must(await register(first, mode));
    const before = harness.dump();
    const result = await register(second);
    if (taken) {
      expect(must(result)).toMatchObject({ created: true, schema: { version: 2, compatibility: mode } });
    } else {
      expect(failure(result).error).toBe('incompatible_schema');
      expect(harness.dump()).toBe(before);
    }
  });

  it('is refused with verdict, mode and every difference, each with direction and version', async () => {
    must(await register(base, 'full'));
    const found = failure(await register({ ...stricter, properties: { n: { type: 'number' } } }));
    expect(found.members).toMatchObject({
      compatibility: 'full',
      verdict: 'incompatible',
      differences: [
        { direction: 'backward', version: 1, pointer: '/required/1', rule: 'required' },
        { direction: 'forward', version: 1, pointer: '/properties/n/type', rule: 'type' },
      ],
    });
    expect(found.detail).toContain('full');
    expect(found.detail).toContain('Nothing was registered');
  });

  it('blocks what cannot be told, and says that it is unknown', async () => {
    must(await register(base, 'backward'));
    expect(failure(await register(unclear)).members).toMatchObject({ verdict: 'unknown' });
  });

  it('looks back at the newest version only, unless it is transitive', async () => {
    const text: JsonObject = { type: 'object', properties: { n: { type: 'string' } } };
    const open: JsonObject = { type: 'object' };
    const bounded: JsonObject = { type: 'object', properties: { n: { type: 'string', maxLength: 5 } } };
    for (const one of [base, open]) must(await register(one, 'backward'));
    for (const one of [text, bounded]) must(await register(one, 'forward'));
    const next: JsonObject = { ...bounded, required: ['n'] };
    const found = failure(
      await register({ ...next, properties: { n: { maxLength: 9 } } }, 'full_transitive'),
    );
    const differences = found.members['differences'] as { direction: string; version: number }[];
    expect(new Set(differences.map((one) => one.version))).toEqual(new Set([1, 2, 3, 4]));
    expect(must(await register(next, 'forward')).created).toBe(true);
    expect(failure(await register({ ...next, title: 'again' }, 'forward_transitive')).members).toMatchObject({
      differences: [{ direction: 'forward', version: 1, pointer: '/properties/n/type' }],
    });
  });

  it('may be changed with the content that is there, or with new content', async () => {
    must(await register(base));
    expect(must(await register(base, 'backward'))).toMatchObject({
      created: false,
      schema: { version: 1, compatibility: 'backward' },
    });
    expect(failure(await register(stricter)).error).toBe('incompatible_schema');
    expect(must(await register(stricter, 'none'))).toMatchObject({
      created: true,
      schema: { version: 2, compatibility: 'none' },
    });
    must(await register(other));
  });

  it('holds between registrations that come at once', async () => {
    must(await register(base, 'backward'));
    const wide: JsonObject = { type: 'object', properties: { n: { type: ['number', 'string'] } } };
    const results = await Promise.all([looser, wide, { ...base, title: 'c' }].map((one) => register(one)));
    // Whichever comes first, the rest is compared with it.
    const versions = must(await harness.operator.schemas.versions('plan', {})).items;
    expect(versions).toHaveLength(1 + results.filter((one) => one.ok).length);
    expect(results.some((one) => one.ok)).toBe(true);
    for (const one of results) if (!one.ok) expect(one.failure.error).toBe('incompatible_schema');
  });

  describe('tried beforehand', () => {
    it('says the version, the verdict and which live states would be refused, and changes nothing', async () => {
      must(await register(base));
      const ids: string[] = [];
      for (const n of [1, 2, 3]) {
        const initial_data = n === 2 ? { n, m: 1 } : { n };
        ids.push(must(await harness.operator.states.create({ schema_name: 'plan', initial_data })).state_id);
      }
      const before = harness.dump();
      const tried = must(await tryRegister(stricter, 'backward'));
      expect(tried).toMatchObject({
        would_create_version: 2,
        compatibility: { mode: 'backward', verdict: 'incompatible', differences: [{ rule: 'required' }] },
        live_states: { checked: 3, all: true, failing_count: 2 },
      });
      expect(tried.live_states.failing).toMatchObject([
        { state_id: ids[0], version: 1, errors: [{ keyword: 'required' }] },
        { state_id: ids[2], version: 1 },
      ]);
      expect(must(await tryRegister(base))).toMatchObject({
        would_create_version: null,
        compatibility: { mode: 'none', verdict: 'compatible', differences: [] },
        live_states: { failing: [] },
      });
      expect(harness.dump()).toBe(before);
    });

    it('tells a session of its own tree only', async () => {
      for (const root of ['one', 'two']) {
        must(await harness.operator.sessions.create({ session_name: root, external: true }));
        const service = await harness.as(root);
        if (root === 'one') must(await service.schemas.register({ name: 'own', json_schema: base }));
        must(await service.states.create({ schema_name: 'own', initial_data: { n: 1 } }));
      }
      const body = { name: 'own', json_schema: stricter };
      const seen = must(await (await harness.as('one')).schemas.tryRegister(body)).live_states;
      expect([seen.checked, seen.failing_count]).toEqual([1, 1]);
    });

    it('is refused for a schema that cannot be used', async () => {
      expect(failure(await tryRegister({ type: 'array' })).error).toBe('invalid_schema');
    });
  });
});

describe('bounds', () => {
  it('end the look at live states and at versions', async () => {
    const harness = await openHarness({
      liveStatesAtOnceMax: 3,
      liveStateItemsMax: 1,
      compatibilitySchemasMax: 2,
    });
    const { schemas, states } = harness.operator;
    const version = (n: number): JsonObject => ({ type: 'object', title: String(n) });
    for (const n of [1, 2]) {
      must(await schemas.register({ name: 'p', json_schema: version(n), compatibility: 'full_transitive' }));
    }
    for (let n = 0; n < 5; n += 1) must(await states.create({ schema_name: 'p', initial_data: {} }));
    const strict = { type: 'object', required: ['x'] };
    const { live_states } = must(await schemas.tryRegister({ name: 'p', json_schema: strict }));
    expect(live_states).toMatchObject({ checked: 3, all: false, failing_count: 3 });
    expect(live_states.failing).toHaveLength(1);
    must(await schemas.register({ name: 'p', json_schema: version(3) }));
    expect(failure(await schemas.register({ name: 'p', json_schema: version(4) }))).toMatchObject({
      error: 'limit_exceeded',
      members: { limit: 'compatibilitySchemasMax' },
    });
    await harness.close();
  });
});
