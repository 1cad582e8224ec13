import { expect, it } from 'vitest';
import { AdmissionCache } from '../../../src/schema/admission/admission-cache.js';
import { ok, fail } from '../../../src/domain/errors.js';
import type { JsonValue } from '../../../src/domain/json/json.js';

const schema = (name: string) => ({ type: 'object', required: [name] });

function counted() {
  const cache = new AdmissionCache();
  let admissions = 0;
  return {
    count: () => admissions,
    admit: (value: JsonValue, use: 'document' | 'value', fails = false) =>
      cache.admit(value, use, async () => {
        admissions += 1;
        await Promise.resolve();
        return fails
          ? fail('schema_too_complex', 'too complex')
          : ok({ hash: String(admissions), schema: schema('a') });
      }),
  };
}

it('the same schema is admitted once for each use, also while it is being admitted', async () => {
  const { admit, count } = counted();
  const [first, second] = await Promise.all([admit(schema('a'), 'value'), admit(schema('a'), 'value')]);
  expect(first).toEqual(ok({ hash: '1', schema: schema('a') }));
  expect(second).toBe(first);
  expect(await admit(schema('a'), 'value')).toBe(first);
  await admit(schema('a'), 'document');
  await admit(schema('b'), 'value');
  expect(count()).toBe(3);
});

it('what fails is tried again', async () => {
  const { admit, count } = counted();
  expect((await admit(schema('a'), 'value', true)).ok).toBe(false);
  expect((await admit(schema('a'), 'value')).ok).toBe(true);
  expect(count()).toBe(2);
});

it('a value too deep to be written is left to the admission', async () => {
  const { admit, count } = counted();
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as JsonValue;
  await admit(deep, 'value');
  await admit(deep, 'value');
  expect(count()).toBe(2);
});
