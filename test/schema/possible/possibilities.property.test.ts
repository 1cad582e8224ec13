// Whatever the schemas: what is remembered for a place of the same shape is what would be computed for it.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/domain/json/json.js';
import { findExample } from '../../../src/schema/possible/find-example.js';
import { ruledOut } from '../../../src/schema/possible/index.js';
import { Possibilities } from '../../../src/schema/possible/possibilities.js';
import { compileRules, SchemaGraph } from '../../../src/schema/rules/index.js';
import { accepts, schema as part, validator, value, whole, withoutReferences } from '../arbitrary-schemas.js';
import { runs } from '../../support/runs.js';

/** The schemas name `a`, `b` and `ab`; they tell the others apart by patterns and lengths only. */
const segment = fc.constantFrom('a', 'b', 'ab', 'x', 'y', 'xyz', 'ay', '0', '1', '-');
const pointers = fc.array(
  fc.array(segment, { maxLength: 3 }).map((segments) => segments.map((one) => `/${one}`).join('')),
  { minLength: 12, maxLength: 12 },
);

it('remembers that a place is possible only for places that are', () => {
  let [looked, computed] = [0, 0];
  fc.assert(
    fc.property(whole, part, pointers, (schema, also, some) => {
      const [graph, wanted] = [new SchemaGraph(schema), new SchemaGraph(withoutReferences(also))];
      const possibilities = new Possibilities(schema);
      for (const pointer of some) {
        for (const [hash, ofValue] of [
          [undefined, null],
          ['wanted', wanted],
        ] as const) {
          const compute = () => ruledOut(graph, { pointer, schema: ofValue }, 100_000);
          looked += 1;
          const found = possibilities.ruledOut(pointer, hash, () => {
            computed += 1;
            return compute();
          });
          expect(found, `${pointer} of ${JSON.stringify({ schema, also })}`).toEqual(compute());
        }
      }
    }),
    { numRuns: runs(300) },
  );
  expect(computed).toBeLessThan(looked * 0.9);
});

function entryOf(schema: JsonObject) {
  const [graph, possibilities, rules] = [
    new SchemaGraph(schema),
    new Possibilities(schema),
    compileRules(schema),
  ];
  return { graph: () => graph, possibilities: () => possibilities, rules: () => rules };
}

it('finds the same example for a place, whichever places came before', () => {
  let given = 0;
  fc.assert(
    fc.property(
      whole,
      part,
      fc.array(value, { minLength: 3, maxLength: 3 }),
      pointers,
      (schema, also, documents, some) => {
        const contractSchema = withoutReferences(also);
        const [ofState, ofContract] = [validator(schema), validator(contractSchema)];
        if (ofState === null || ofContract === null) return;
        const isValid = ({ hash }: { hash: string }, one: JsonValue) =>
          accepts(hash === 'contract' ? ofContract : ofState, one) === true;
        const kept = { entry: entryOf(schema), contract: entryOf(contractSchema) };
        for (const document of documents) {
          if (!isJsonObject(document)) continue;
          for (const [at, pointer] of some.entries()) {
            const terms = {
              document,
              documentBytes: 100,
              locations: [pointer, some[(at + 1) % some.length] ?? ''],
              contract: at % 3 === 0 ? null : { pointer, schema: contractSchema, schemaHash: 'contract' },
              writeScope: null,
            };
            const known = { schema: { hash: 'state', schema }, isValid, staysValid: () => false };
            const found = findExample({ ...known, ...kept }, terms, DEFAULT_LIMITS);
            const fresh = { entry: entryOf(schema), contract: entryOf(contractSchema) };
            expect(found).toEqual(findExample({ ...known, ...fresh }, terms, DEFAULT_LIMITS));
            if (found !== null) given += 1;
          }
        }
      },
    ),
    { numRuns: runs(100) },
  );
  expect(given).toBeGreaterThan(20);
});
