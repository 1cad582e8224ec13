// Who changes the mode of a workflow, by which writes: the operation, or a write that does the same.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Result } from '../../../src/domain/errors.js';
import type { JsonObject } from '../../../src/domain/json/json.js';
import type { Countersign } from '../../../src/ports/service.js';
import { failure, must, openHarness, type Harness } from '../harness.js';

const MODES = [
  { name: 'planning', next: ['coding'], tools: { 'claude-code': ['WebFetch'] } },
  { name: 'coding', next: ['planning', 'review'], tools: { 'claude-code': ['Write'] } },
  { name: 'review' },
];
const AT = '2026-01-01T00:00:00.000Z';

let harness: Harness;
let stateId: string;
let rootId: string;
let kidId: string;
let root: Countersign;
let kid: Countersign;

beforeEach(async () => {
  harness = await openHarness();
  const { sessions, schemas } = harness.operator;
  const json_schema = {
    type: 'object',
    properties: { orchestrator_workflow: { type: 'object' } },
    modes: MODES,
  };
  must(await schemas.register({ name: 'mine', json_schema }));
  must(await schemas.register({ name: 'mine', json_schema: { ...json_schema, title: 'Second' } }));
  rootId = must(await sessions.create({ session_name: 'root', external: true })).session_id;
  const child = { session_name: 'kid', parent_session_name: 'root', external: true };
  kidId = must(await sessions.create(child)).session_id;
  stateId = await openState('mine', { current_mode: 'planning', mode_history: [] });
  [root, kid] = [await harness.as('root'), await harness.as('kid')];
});
afterEach(() => harness.close());

async function openState(schema_name: string, initial_data: JsonObject): Promise<string> {
  const created = await harness.operator.states.create({
    schema_name,
    schema_version: 1,
    initial_data,
    root_session_name: 'root',
  });
  return must(created).state_id;
}
const read = async () => must(await harness.operator.states.get(stateId));
const entry = (mode: string, entered_by: string | null, more: JsonObject = {}) => ({
  mode,
  entered_at: AT,
  entered_by,
  reason: '',
  ...more,
});
/** A patch that changes the mode, and adds entries to its history. */
const patchTo = (value: string, ...entries: JsonObject[]) => [
  { op: 'replace', path: '/current_mode', value },
  ...entries.map((one) => ({ op: 'add', path: '/mode_history/-', value: one })),
];

/** Every form of a write that enters a mode. */
async function writesTo(by: Countersign, mode: string): Promise<readonly Result<unknown>[]> {
  const { version, current_data: document } = await read();
  const set = { op: 'set' as const, key: 'current_mode', value: mode };
  return [
    await by.states.patch(stateId, patchTo(mode), {}),
    await by.states.patch(stateId, patchTo(mode), { baseVersion: version }),
    await by.states.mergePatch(stateId, { current_mode: mode }, {}),
    await by.states.replace(stateId, { ...document, current_mode: mode }, {}),
    await by.states.ops(stateId, [{ op: 'set', pointer: '/current_mode', value: mode }], {}),
    await by.keys.set('root', 'current_mode', mode, {}),
    await by.keys.batch('root', { operations: [set] }),
  ];
}

describe('the first mode', () => {
  it.each<[string, () => Countersign]>([
    ['a session', () => root],
    ['the operator', () => harness.operator],
  ])('is set by %s in a document that names none', async (_title, by) => {
    must(await harness.operator.states.replace(stateId, { orchestrator_workflow: {} }, {}));
    must(await by().workflow.setMode(stateId, { mode: 'planning' }));
    expect(await read()).toMatchObject({ current_data: { current_mode: 'planning', mode_history: [] } });
    expect(failure(await root.workflow.setMode(stateId, { mode: 'review' })).error).toBe('mode_refused');
    must(await root.workflow.setMode(stateId, { mode: 'coding' }));
    expect(await read()).toMatchObject({ current_data: { current_mode: 'coding' } });
  });
});

describe('a write of a session that changes the mode', () => {
  it.each(['review', 'coding', 'nonesuch'])('to %s alone is refused in every form', async (mode) => {
    const { version } = await read();
    const failures = [...(await writesTo(kid, mode)), ...(await writesTo(root, mode))].map(failure);
    expect(failures.map(({ error, members }) => [error, members['pointer'], members['next_modes']])).toEqual(
      failures.map(() => ['mode_refused', '/current_mode', ['coding', 'disabled']]),
    );
    expect((await read()).version).toBe(version);
  });

  it('names the call that does it, or the modes that may follow', async () => {
    const alone = await kid.states.mergePatch(stateId, { current_mode: 'coding' }, {});
    expect(failure(alone).detail).toContain('countersign workflow mode --set MODE');
    const other = await kid.states.mergePatch(stateId, { current_mode: 'review' }, {});
    expect(failure(other).detail).toContain('From planning a workflow may go to coding, disabled');
  });

  it('is taken with its entry in the history, to a mode that may follow', async () => {
    must(await kid.states.patch(stateId, patchTo('coding', entry('coding', kidId)), {}));
    must(await root.states.patch(stateId, patchTo('disabled', entry('disabled', rootId)), {}));
    expect((await read()).current_data).toMatchObject({
      current_mode: 'disabled',
      mode_history: [{ mode: 'coding' }, { mode: 'disabled' }],
    });
  });

  it.each<[string, (ids: { kidId: string; rootId: string }) => JsonObject[]]>([
    ['of another session', (ids) => [entry('coding', ids.rootId)]],
    ['of the operator', () => [entry('coding', null)]],
    ['of another mode', (ids) => [entry('review', ids.kidId)]],
    ['without a time', (ids) => [entry('coding', ids.kidId, { entered_at: 1 })]],
    ['without a reason', (ids) => [entry('coding', ids.kidId, { reason: null })]],
    ['beside another one', (ids) => [entry('review', ids.kidId), entry('coding', ids.kidId)]],
  ])('is refused with an entry %s', async (_, entries) => {
    const patch = patchTo('coding', ...entries({ kidId, rootId }));
    expect(failure(await kid.states.patch(stateId, patch, {})).error).toBe('mode_refused');
  });

  it('is refused if it rewrites the history', async () => {
    must(await kid.workflow.setMode(stateId, { mode: 'coding', reason: 'planned' }));
    const patch = [
      { op: 'replace', path: '/mode_history/0/reason', value: 'other' },
      ...patchTo('review', entry('review', kidId)),
    ];
    expect(failure(await kid.states.patch(stateId, patch, {})).error).toBe('mode_refused');
    const earlier = await kid.states.revert(stateId, 1, {});
    expect(failure(earlier).error).toBe('mode_refused');
  });

  it.each([
    ['of the mode that it is in', 'planning'],
    ['of another mode', 'disabled'],
  ])('is the only one that adds to the history: an entry %s is refused alone', async (_, mode) => {
    const patch = [{ op: 'add', path: '/mode_history/-', value: entry(mode, kidId) }];
    const refused = failure(await kid.states.patch(stateId, patch, {}));
    expect([refused.error, refused.members['pointer']]).toEqual(['mode_refused', '/mode_history']);
    expect((await read()).version).toBe(1);
    must(await kid.states.patch(stateId, [{ op: 'remove', path: '/mode_history' }], {}));
    expect(must(await kid.workflow.setMode(stateId, { mode: 'planning' })).version).toBe(3);
  });

  it('is refused to a child that enters disabled, with its entry too', async () => {
    const patch = patchTo('disabled', entry('disabled', kidId));
    expect(failure(await kid.states.patch(stateId, patch, {})).error).toBe('forbidden');
  });

  it('counts a removed mode as the first one', async () => {
    const removal = [{ op: 'remove', path: '/current_mode' }];
    must(await kid.states.patch(stateId, removal, {}));
    must(await kid.states.mergePatch(stateId, { current_mode: 'planning' }, {}));
    must(await kid.workflow.setMode(stateId, { mode: 'coding' }));
    must(await kid.workflow.setMode(stateId, { mode: 'review' }));
    expect(failure(await kid.states.patch(stateId, removal, {})).error).toBe('mode_refused');
  });

  it('merges what another one has written since, and keeps its mode', async () => {
    const { version, current_data: document } = await read();
    must(await root.workflow.setMode(stateId, { mode: 'coding' }));
    const written = await kid.states.replace(stateId, { ...document, task: 1 }, { baseVersion: version });
    must(written);
    expect((await read()).current_data).toMatchObject({ current_mode: 'coding', task: 1 });
  });

  it('is held to it in a migration, by the modes of the new version', async () => {
    const refused = await root.states.migrate(
      stateId,
      { schema_version: 2, operations: patchTo('review', entry('review', rootId)) },
      {},
    );
    expect(failure(refused).error).toBe('mode_refused');
    const body = { schema_version: 2, operations: patchTo('coding', entry('coding', rootId)) };
    must(await root.states.migrate(stateId, body, {}));
  });
});

describe('an operator', () => {
  it('writes any mode, in any form, and reverts and migrates across modes', async () => {
    for (const one of await writesTo(harness.operator, 'review')) must(one);
    must(await harness.operator.states.revert(stateId, 1, {}));
    const body = { schema_version: 2, operations: patchTo('review') };
    must(await harness.operator.states.migrate(stateId, body, {}));
    expect((await read()).current_data).toMatchObject({ current_mode: 'review', mode_history: [] });
  });
});

describe('where no modes are defined', () => {
  it('any name is taken, with its entry', async () => {
    must(await harness.operator.sessions.create({ session_name: 'free', external: true }));
    const created = await harness.operator.states.create({
      schema_name: 'orchestrator-workflow',
      initial_data: {},
      root_session_name: 'free',
    });
    const free = must(created).state_id;
    const by = await harness.as('free');
    const refused = failure(await by.states.mergePatch(free, { current_mode: 'a' }, {}));
    expect([refused.error, 'next_modes' in refused.members]).toEqual(['mode_refused', false]);
    must(await by.workflow.setMode(free, { mode: 'a' }));
    must(await by.workflow.setMode(free, { mode: 'default' }));
  });

  const properties = { current_mode: { type: 'string' }, orchestrator_workflow: { type: 'object' } };
  it.each<[string, JsonObject]>([
    ['itself', { additionalProperties: false, properties }],
    [
      'itself, beside another part',
      { additionalProperties: false, properties, allOf: [{ minProperties: 0 }] },
    ],
    ['in a part', { allOf: [{ additionalProperties: false, properties }] }],
    ['around a part', { allOf: [{ properties }], unevaluatedProperties: false }],
    ['by names', { properties, propertyNames: { enum: Object.keys(properties) } }],
    [
      'in a definition',
      { $ref: '#/$defs/whole', $defs: { whole: { additionalProperties: false, properties } } },
    ],
  ])(
    'a schema closed (%s) without a history of modes takes any name from its sessions',
    async (_how, schema) => {
      const json_schema = { type: 'object', ...schema };
      must(await harness.operator.schemas.register({ name: 'bare', json_schema }));
      must(await harness.operator.sessions.create({ session_name: 'free', external: true }));
      const created = await harness.operator.states.create({
        schema_name: 'bare',
        initial_data: { current_mode: 'a' },
        root_session_name: 'free',
      });
      const by = await harness.as('free');
      const bare = must(created).state_id;
      must(await by.states.mergePatch(bare, { current_mode: 'b' }, {}));
      const written = must(await by.workflow.setMode(bare, { mode: 'disabled' }));
      expect(written.changed).toBe(true);
      const { current_data } = must(await by.states.get(bare));
      expect(current_data).toEqual({ current_mode: 'disabled' });
    },
  );
});
