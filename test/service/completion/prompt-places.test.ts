// The call that a prompt spells out names a place that the schema and the scope have.
import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/domain/json/json.js';
import type { CompletionOptions } from '../../../src/ports/api/index.js';
import { must, openHarness } from '../harness.js';

const text = { type: 'string' };
const closed = { type: 'object', additionalProperties: false };

it.each<[string, JsonObject, JsonObject, CompletionOptions, string, JsonValue]>([
  ['an open schema', { type: 'object' }, {}, {}, '/RESULT_MEMBER', 'x'],
  ['a closed schema', { ...closed, properties: { a: text, b: text } }, { a: '1' }, {}, '/b', 'x'],
  ['a closed schema that is full', { ...closed, properties: { a: text } }, { a: '1' }, {}, '/a', 'x'],
  [
    'a closed schema behind a reference',
    { type: 'object', $ref: '#/$defs/d', $defs: { d: { ...closed, properties: { c: text } } } },
    {},
    {},
    '/c',
    'x',
  ],
  [
    'a scope on a closed object',
    { ...closed, properties: { a: { ...closed, properties: { b: text } } } },
    { a: {} },
    { write_scope: ['/a'] },
    '/a/b',
    'x',
  ],
  [
    'a scope whose first place there is not',
    { ...closed, properties: { a: text } },
    {},
    { write_scope: ['/z', '/a'] },
    '/a',
    'x',
  ],
])('in %s', async (_, json_schema, initial_data, completion, place, value) => {
  const harness = await openHarness();
  try {
    must(await harness.operator.schemas.register({ name: 'plan', json_schema }));
    must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
    const root_session_name = 'root';
    const { state_id } = must(
      await harness.operator.states.create({ schema_name: 'plan', initial_data, root_session_name }),
    );
    const child = { session_name: 'child', parent_session_name: 'root', external: true };
    must(await harness.operator.sessions.create({ ...child, completion }));
    const as = await harness.as('child');
    const { request } = must(await as.sessions.report('child', { type: 'session_stop' }));
    const call = /state patch '([^\n]*)'/.exec(request?.prompt ?? '')?.[1] ?? '';
    const operations = JSON.parse(call.replace('YOUR_RESULT_AS_JSON', JSON.stringify(value))) as JsonValue;
    expect(operations).toMatchObject([{ path: place }]);
    must(await as.states.patch(state_id, operations as never, {}));
  } finally {
    await harness.close();
  }
});

it('of patterns says which names there can be', async () => {
  const harness = await openHarness();
  try {
    const json_schema = { ...closed, patternProperties: { '^t[0-9]+$': text } };
    must(await harness.operator.schemas.register({ name: 'plan', json_schema }));
    must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
    const state = { schema_name: 'plan', initial_data: {}, root_session_name: 'root' };
    must(await harness.operator.states.create(state));
    const child = { session_name: 'child', parent_session_name: 'root', external: true };
    must(await harness.operator.sessions.create(child));
    const as = await harness.as('child');
    const { request } = must(await as.sessions.report('child', { type: 'session_stop' }));
    expect(request?.prompt).toContain('names match ^t[0-9]+$');
  } finally {
    await harness.close();
  }
});
