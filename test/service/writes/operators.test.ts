// Atomic operators, differences and reverts through the service: one write path, one history.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must, openHarness, failure, type Harness } from '../harness.js';

const SCHEMA = {
  type: 'object',
  properties: { n: { type: 'integer' }, log: { type: 'array' }, once: { 'x-immutable': true } },
};

let harness: Harness;
let id: string;
beforeEach(async () => {
  harness = await openHarness();
  must(await harness.operator.schemas.register({ name: 'plan', json_schema: SCHEMA }));
  id = must(await harness.operator.states.create({ schema_name: 'plan', initial_data: { n: 0 } })).state_id;
});
afterEach(() => harness.close());
const states = () => harness.operator.states;

describe('operators', () => {
  it('lose nothing where many write at once', async () => {
    const writes = Array.from({ length: 100 }, (_, i) =>
      states().ops(
        id,
        [
          { op: 'increment', pointer: '/n', delta: 1 },
          { op: 'append', pointer: '/log', items: [i] },
        ],
        {},
      ),
    );
    for (const result of await Promise.all(writes)) must(result);
    const { current_data, version } = must(await states().get(id));
    expect(current_data).toMatchObject({ n: 100 });
    expect((current_data as { log: number[] }).log.toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 100 }, (_, i) => i),
    );
    expect(version).toBe(101);
  });

  it('are kept in the history as the patch that they came to', async () => {
    must(
      await states().ops(
        id,
        [
          { op: 'increment', pointer: '/n', delta: 2 },
          { op: 'append', pointer: '/log', items: [1] },
        ],
        {},
      ),
    );
    const { events } = must(await states().events(id, { since: 1 }));
    expect(events).toMatchObject([
      {
        kind: 'ops',
        patch: [
          { op: 'replace', path: '/n', value: 2 },
          { op: 'add', path: '/log', value: [1] },
        ],
      },
    ]);
  });

  it('that change nothing make no version', async () => {
    expect(must(await states().ops(id, [{ op: 'increment', pointer: '/n', delta: 0 }], {}))).toMatchObject({
      version: 1,
      changed: false,
    });
  });

  it.each([
    [
      'one does not fit',
      [
        { op: 'increment', pointer: '/n', delta: 1 },
        { op: 'append', pointer: '/n', items: [] },
      ],
      {},
      'key_type_mismatch',
      { operation_index: 1 },
    ],
    [
      'the schema does not allow it',
      [{ op: 'increment', pointer: '/n', delta: 0.5 }],
      {},
      'validation_failed',
      {},
    ],
    [
      'the version is another',
      [{ op: 'increment', pointer: '/n', delta: 1 }],
      { expectedVersion: 7 },
      'version_conflict',
      {},
    ],
    ['they are none', 'no', {}, 'patch_failed', { pointer: '' }],
  ])('are refused as a whole where %s', async (_title, operations, options, error, members) => {
    const before = harness.dump();
    expect(failure(await states().ops(id, operations, options))).toMatchObject({ error, members });
    expect(harness.dump()).toBe(before);
  });
});

describe('the difference of two versions', () => {
  beforeEach(async () => {
    must(await states().replace(id, { n: 1, log: [] }, {}));
    must(await states().replace(id, { n: 2 }, {}));
  });
  it('is a patch in either direction, up to the present by default', async () => {
    expect(must(await states().diff(id, { from: 1, to: 2 }))).toEqual({
      from: 1,
      to: 2,
      patch: [
        { op: 'replace', path: '/n', value: 1 },
        { op: 'add', path: '/log', value: [] },
      ],
    });
    expect(must(await states().diff(id, { from: 3, to: 1 })).patch).toEqual([
      { op: 'replace', path: '/n', value: 0 },
    ]);
    expect(must(await states().diff(id, { from: 1 }))).toMatchObject({ from: 1, to: 3 });
    expect(must(await states().diff(id, { from: 2, to: 2 })).patch).toEqual([]);
  });
  it('is refused for versions and states that are not there', async () => {
    expect(failure(await states().diff(id, { from: 1, to: 9 })).error).toBe('version_not_found');
    expect(failure(await states().diff(id, { from: 9 })).error).toBe('version_not_found');
    expect(failure(await states().diff('wfstate_x', { from: 1 })).error).toBe('state_not_found');
  });
});

describe('a revert', () => {
  it('writes an old version as a new one', async () => {
    must(await states().replace(id, { n: 1, log: [1] }, {}));
    expect(must(await states().revert(id, 1, {}))).toMatchObject({
      version: 3,
      changed: true,
      current_data: { n: 0 },
    });
    expect(must(await states().revert(id, 1, {}))).toMatchObject({ version: 3, changed: false });
    expect(must(await states().events(id, { since: 2 })).events).toMatchObject([
      { version: 3, kind: 'revert' },
    ]);
  });
  it('is held to what every write is held to', async () => {
    must(await states().replace(id, { n: 1, once: 'set' }, {}));
    const before = harness.dump();
    expect(failure(await states().revert(id, 1, {})).error).toBe('transition_refused');
    expect(failure(await states().revert(id, 1, { expectedVersion: 1 })).error).toBe('version_conflict');
    expect(failure(await states().revert(id, 3, {})).error).toBe('version_not_found');
    expect(harness.dump()).toBe(before);
  });
});
