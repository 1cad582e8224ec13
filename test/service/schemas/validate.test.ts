// Validating a document without a state.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { failure, must, openHarness, type Harness } from '../harness.js';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
  const { schemas } = harness.operator;
  const register = async (json_schema: object) =>
    must(await schemas.register({ name: 'plan', json_schema: { type: 'object', ...json_schema } }));
  await register({});
  const items = {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string' }, done: { type: 'boolean' } },
  };
  await register({ properties: { steps: { type: 'array', 'x-key': 'id', items } }, required: ['steps'] });
});
afterEach(() => harness.close());

const validate = (data: never, version?: number) => harness.operator.schemas.validate('plan', data, version);
const json = (value: unknown) => value as never;

it('names every place that the newest version refuses, and writes nothing', async () => {
  expect(must(await validate(json({ steps: [{ id: 'a', done: 1 }, {}] })))).toMatchObject({
    schema_name: 'plan',
    schema_version: 2,
    valid: false,
    errors: [
      { pointer: '/steps/0/done', keyword: 'type' },
      { pointer: '/steps/1', keyword: 'required' },
    ],
  });
  expect(must(await harness.operator.states.list({})).items).toEqual([]);
});

it.each([[null], [1], ['x'], [true], [[]]])('says of %j that no state begins with it', async (data) => {
  expect(must(await validate(json(data)))).toMatchObject({
    valid: false,
    errors: [{ pointer: '', keyword: 'type', expected: { type: 'object' } }],
  });
});

it('takes what the version accepts that is named', async () => {
  const verdict = { schema_name: 'plan', valid: true, errors: [] };
  expect(must(await validate(json({}), 1))).toEqual({ ...verdict, schema_version: 1 });
  expect(must(await validate(json({ steps: [] })))).toEqual({ ...verdict, schema_version: 2 });
});

it('applies the rules of identity, as the first write of a state does', async () => {
  const { valid, errors } = must(await validate(json({ steps: [{ id: 'a' }, { id: 'a' }] })));
  expect(valid).toBe(false);
  expect(errors).toMatchObject([{ keyword: 'x-key' }]);
});

it('refuses a document beyond a limit, and a schema that there is not', async () => {
  let deep: unknown = {};
  for (let level = 0; level < 5000; level += 1) deep = { deep };
  expect(failure(await validate(json(deep))).error).toBe('limit_exceeded');
  expect(failure(await validate(json({}), 3)).error).toBe('schema_not_found');
  expect(failure(await harness.operator.schemas.validate('none', {})).error).toBe('schema_not_found');
});
