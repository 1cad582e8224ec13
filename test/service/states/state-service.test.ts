import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import { applyPatch } from '../../../src/document/index.js';
import { must, openHarness, failure, type Harness } from '../harness.js';

const SCHEMA = {
  type: 'object',
  properties: { n: { type: 'integer' }, list: { type: 'array' } },
  required: ['n'],
};

describe('a workflow state', () => {
  let harness: Harness;
  let id: string;
  beforeEach(async () => {
    harness = await openHarness();
    must(await harness.operator.schemas.register({ name: 'plan', json_schema: SCHEMA }));
    id = must(
      await harness.operator.states.create({ schema_name: 'plan', initial_data: { n: 0, list: [] } }),
    ).state_id;
  });
  afterEach(async () => {
    expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
    await harness.close();
  });
  const states = () => harness.operator.states;
  const setN = (n: number) => states().patch(id, [{ op: 'replace', path: '/n', value: n }], {});

  it('is listed by the time of its last change, also after a leap second', async () => {
    const listed = (updated_since: string) => harness.operator.states.list({ updated_since });
    expect(must(await listed('2016-12-31T23:59:60Z')).items).toHaveLength(1);
    expect(must(await listed('9998-12-31T23:59:60Z')).items).toEqual([]);
    const refused = failure(await listed('2026-01-31T09:30:00+02'));
    expect(refused.error).toBe('invalid_request');
    expect(refused.members['errors']).toMatchObject([{ pointer: '/query/updated_since' }]);
  });

  it('gets an external root where nobody is named', async () => {
    const envelope = must(await states().get(id));
    expect(must(await harness.operator.sessions.get(envelope.root_session_id))).toMatchObject({
      external: true,
      delivery: 'pull',
      workflow_state_id: id,
    });
  });

  it('takes the writes of a batch that are sound, where one among them breaks off', async () => {
    const unheard = 1n as unknown as number; // no JSON can be made of it, which is a bug of the caller's
    const settled = await Promise.allSettled([
      setN(1),
      states().patch(id, [{ op: 'add', path: '/list/-', value: unheard }], {}),
      setN('x' as unknown as number),
      setN(2),
    ]);
    expect(settled.map((one) => (one.status === 'fulfilled' ? one.value.ok : one.status))).toEqual([
      true,
      'rejected',
      false,
      true,
    ]);
    expect(must(await states().get(id))).toMatchObject({ version: 3, current_data: { n: 2, list: [] } });
  });

  it('is made on a schema version or the version is deleted, never both', async () => {
    const { schemas } = harness.operator;
    const both = await Promise.all(
      Array.from({ length: 12 }, async (_, i) => {
        const name = `race-${String(i)}`;
        must(await schemas.register({ name, json_schema: SCHEMA }));
        const creating = states().create({ schema_name: name, initial_data: { n: i } });
        for (let turn = 0; turn < i; turn += 1) await Promise.resolve();
        return Promise.all([creating, schemas.remove(name, 1)]);
      }),
    );
    for (const [created, removed] of both) {
      expect(created.ok).toBe(!removed.ok);
      if (!created.ok) expect(created.failure.error).toBe('schema_not_found');
      if (!removed.ok) expect(removed.failure.error).toBe('schema_in_use');
    }
    expect(both.some(([created]) => !created.ok)).toBe(true);
  });

  it('rises by one for each change, and gives every past version back', async () => {
    for (let n = 1; n <= 40; n += 1) must(await setN(n));
    await harness.restart();
    for (const version of [1, 2, 16, 17, 18, 33, 41]) {
      expect(must(await states().get(id, version))).toMatchObject({
        version,
        current_data: { n: version - 1, list: [] },
      });
    }
    expect(failure(await states().get(id, 42)).error).toBe('version_not_found');
  });

  it('has a history that leads to its document', async () => {
    must(await setN(1));
    must(await states().mergePatch(id, { extra: { a: [1] }, list: null }, {}));
    must(await states().replace(id, { n: 3, list: [1, 2], extra: { a: [1, 2] } }, {}));
    const { events, has_more } = must(await states().events(id, {}));
    expect(has_more).toBe(false);
    expect(events.map((event) => [event.version, event.kind])).toEqual([
      [1, 'create'],
      [2, 'json_patch'],
      [3, 'merge_patch'],
      [4, 'replace'],
    ]);
    const replayed = events.reduce<JsonObject>((document, event) => applyPatch(document, event.patch), {});
    expect(replayed).toEqual(must(await states().get(id)).current_data);
  });

  it('answers a write that changes nothing without a version or an event', async () => {
    for (const result of [
      await setN(0),
      await states().patch(id, [], {}),
      await states().patch(id, [{ op: 'test', path: '/n', value: 0 }], {}),
      await states().patch(
        id,
        [
          { op: 'add', path: '/t', value: 1 },
          { op: 'remove', path: '/t' },
        ],
        {},
      ),
      await states().mergePatch(id, { n: 0, gone: null }, {}),
      await states().replace(id, { list: [], n: 0 }, {}),
    ]) {
      expect(must(result)).toMatchObject({ changed: false, version: 1 });
    }
    expect(must(await states().events(id, {})).events).toHaveLength(1);
  });

  it('answers a dry run with what would be, and stays as it is', async () => {
    const before = harness.dump();
    expect(must(await states().replace(id, { n: 5 }, { dryRun: true }))).toMatchObject({
      changed: true,
      version: 2,
      current_data: { n: 5 },
    });
    expect(failure(await states().replace(id, { n: 'x' }, { dryRun: true })).error).toBe('validation_failed');
    expect(harness.dump()).toBe(before);
  });

  it('takes exactly the writers whose expected version is there', async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) => states().replace(id, { n: i + 1 }, { expectedVersion: 1 })),
    );
    expect(results.filter((one) => one.ok)).toHaveLength(1);
    expect(must(await states().get(id)).version).toBe(2);
    for (const one of results.filter((each) => !each.ok)) {
      expect(failure(one)).toMatchObject({
        error: 'version_conflict',
        members: { current_version: 2, your_version: 1 },
      });
    }
  });

  it('loses no write of many writers at once, good and bad ones mixed', async () => {
    const writes = Array.from({ length: 300 }, (_, i) =>
      i % 3 === 0
        ? states().patch(id, [{ op: 'replace', path: '/n', value: 'bad' }], {})
        : states().patch(id, [{ op: 'add', path: '/list/-', value: i }], {}),
    );
    const results = await Promise.all(writes);
    const accepted = results.flatMap((one, i) => (one.ok ? [{ i, version: one.value.version }] : []));
    expect(accepted).toHaveLength(200);
    expect(accepted.map((one) => one.version).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 200 }, (_, i) => i + 2),
    );
    await harness.restart();
    const { current_data, version } = must(await states().get(id));
    expect(version).toBe(201);
    expect((current_data as { list: number[] }).list.sort((a, b) => a - b)).toEqual(
      accepted.map((one) => one.i),
    );
  });

  it('answers each writer with the document as that write left it', async () => {
    const results = await Promise.all([1, 2, 3].map((n) => setN(n)));
    expect(
      results.map((one) => must(one)).map((one) => [one.version, (one.current_data as { n: number }).n]),
    ).toEqual([
      [2, 1],
      [3, 2],
      [4, 3],
    ]);
  });

  it('says who wrote', async () => {
    const { root_session_name } = must(await states().get(id));
    const root = await harness.as(root_session_name);
    const written = must(await root.states.patch(id, [{ op: 'replace', path: '/n', value: 1 }], {}));
    expect(written.updated_by).toBe(written.root_session_id);
    expect(must(await setN(2)).updated_by).toBeNull();
  });

  it('takes its history with it when it is deleted, and open completions are skipped', async () => {
    const { root_session_id } = must(await states().get(id));
    const child = must(
      await harness.operator.sessions.create({
        session_name: 'kid',
        parent_session_id: root_session_id,
        external: true,
        callback: true,
      }),
    );
    expect(
      must(await harness.operator.sessions.report('kid', { type: 'session_stop', result_text: 'x' }))
        .state_update_status,
    ).toBe('pending');
    must(await states().remove(id));
    expect(failure(await states().get(id)).error).toBe('state_not_found');
    expect(must(await harness.operator.sessions.completion(child.session_id))).toMatchObject({
      state_update_status: 'skipped',
      reason: expect.stringContaining('deleted'),
    });
    expect(must(await harness.operator.callbacks.list({})).items.map((one) => one.status)).toEqual([
      'queued',
    ]);
    must(
      await harness.operator.states.create({ schema_name: 'plan', initial_data: { n: 1 }, root_session_id }),
    );
  });

  it('validates a large document off the main thread and takes it', async () => {
    const list = Array.from({ length: 8000 }, (_, i) => `item number ${String(i)} of a long list`);
    expect(must(await states().replace(id, { n: 1, list }, {})).version).toBe(2);
    expect(failure(await states().replace(id, { n: 'x', list }, {})).error).toBe('validation_failed');
  });
});
