// Whatever the schema: no place and no value of a document that Ajv accepts is ever ruled out.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/domain/json/json.js';
import { formatPointer } from '../../../src/domain/json/pointer.js';
import { SCHEMA_URIS } from '../../../src/schema/lowering/draft.js';
import { effectiveSchema } from '../../../src/schema/lowering/effective.js';
import { ruledOut } from '../../../src/schema/possible/index.js';
import { SchemaGraph } from '../../../src/schema/rules/index.js';
import { accepts, validator, value, whole, schema as part, withoutReferences } from '../arbitrary-schemas.js';
import { runs } from '../../support/runs.js';

function placesOf(document: JsonValue, pointer = ''): { pointer: string; found: JsonValue }[] {
  const under = Array.isArray(document) || isJsonObject(document) ? Object.entries(document) : [];
  return [
    { pointer, found: document },
    ...under.flatMap(([name, one]) => placesOf(one, pointer + formatPointer([name]))),
  ];
}

const draft = fc.constantFrom({}, {}, { $schema: SCHEMA_URIS['draft-07'] });
const documents = fc.array(value, { minLength: 15, maxLength: 15 });
/** As the engine keeps it: keywords beside a reference have no effect in draft-07. */
const graphOf = (schema: JsonObject) => new SchemaGraph(effectiveSchema(schema));

it('what a valid document has is possible, and so is every schema that the value there satisfies', () => {
  let [looked, excluded] = [0, 0];
  fc.assert(
    fc.property(draft, whole, part, documents, (draft, said, also, documents) => {
      const schema = { ...draft, ...said };
      const validate = validator(schema);
      if (validate === null) return;
      const wanted = { ...draft, ...withoutReferences(also) };
      const satisfies = validator(wanted);
      const graph = graphOf(schema);
      if (ruledOut(graph, { pointer: '/a/ab', schema: null }, 5000) !== null) excluded += 1;
      for (const document of documents) {
        if (accepts(validate, document) !== true) continue;
        for (const { pointer, found } of placesOf(document)) {
          looked += 1;
          const described = (terms: object) => `${pointer} of ${JSON.stringify({ schema, document, terms })}`;
          for (const schema of [null, { const: found }]) {
            const also = schema === null ? null : graphOf(schema);
            expect(
              ruledOut(graph, { pointer, schema: also }, 5000),
              described({ pointer, schema }),
            ).toBeNull();
          }
          if (satisfies !== null && accepts(satisfies, found) === true) {
            const terms = { pointer, schema: graphOf(wanted) };
            expect(ruledOut(graph, terms, 5000), described({ pointer, schema: wanted })).toBeNull();
          }
        }
      }
    }),
    { numRuns: runs(120) },
  );
  expect(looked).toBeGreaterThan(100);
  expect(excluded).toBeGreaterThan(5);
});
