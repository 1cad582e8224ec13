// Whatever the schemas: an example that is given satisfies them, as Ajv has it.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/domain/json/json.js';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import { valueAt } from '../../../src/domain/json/pointer.js';
import { findExample } from '../../../src/schema/possible/find-example.js';
import { Possibilities } from '../../../src/schema/possible/possibilities.js';
import { applyPatch } from '../../../src/document/index.js';
import { compileRules, SchemaGraph } from '../../../src/schema/rules/index.js';
import { accepts, schema as part, validator, value, whole, withoutReferences } from '../arbitrary-schemas.js';
import { runs } from '../../support/runs.js';

function entryOf(schema: JsonObject) {
  const [graph, possibilities, rules] = [
    new SchemaGraph(schema),
    new Possibilities(schema),
    compileRules(schema),
  ];
  return { graph: () => graph, possibilities: () => possibilities, rules: () => rules };
}

it('an example satisfies the schema of the state and the contract', () => {
  let given = 0;
  fc.assert(
    fc.property(whole, part, value, (schema, also, document) => {
      const wanted = withoutReferences(also);
      const [ofState, ofContract] = [validator(schema), validator(wanted)];
      if (ofState === null || ofContract === null || !isJsonObject(document)) return;
      const terms = {
        document,
        documentBytes: JSON.stringify(document).length,
        locations: ['/a/ab'],
        contract: { pointer: '/a/ab', schema: wanted, schemaHash: 'contract' },
        writeScope: null,
      };
      const isValid = ({ hash }: { hash: string }, one: JsonValue) =>
        accepts(hash === 'contract' ? ofContract : ofState, one) === true;
      const known = { hash: 'state', schema };
      // Without a validator it has to be as certain.
      for (const validate of [isValid, () => null]) {
        const schemas = {
          schema: known,
          entry: entryOf(schema),
          contract: entryOf(wanted),
          isValid: validate,
          staysValid: () => false,
        };
        const write = findExample(schemas, terms, DEFAULT_LIMITS);
        if (write === null) continue;
        given += 1;
        const after = applyPatch(document, [write.operation]);
        const described = JSON.stringify({ schema, wanted, document, write });
        expect(accepts(ofState, after), described).toBe(true);
        expect(accepts(ofContract, valueAt(after, '/a/ab') ?? null), described).toBe(true);
      }
    }),
    { numRuns: runs(300) },
  );
  expect(given).toBeGreaterThan(runs(10));
});
