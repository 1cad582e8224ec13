// Whatever the schema and the change: a document that is said to stay valid is valid, as Ajv has it.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyPatch, diffDocuments } from '../../../src/document/index.js';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/domain/json/json.js';
import type { Patch, PatchOperation } from '../../../src/domain/json/patch.js';
import { formatPointer } from '../../../src/domain/json/pointer.js';
import { Compilers, type CompiledSchema } from '../../../src/schema/ajv/ajv.js';
import { changedLocations } from '../../../src/domain/json/changed-locations.js';
import { sparselyAdded } from '../../../src/document/sparsely-added.js';
import { StaysValid } from '../../../src/schema/incremental/stays-valid.js';
import { accepts, value, whole } from '../arbitrary-schemas.js';
import { runs } from '../../support/runs.js';

function placesOf(of: JsonValue, pointer = ''): readonly string[] {
  const under = isJsonArray(of) || isJsonObject(of) ? Object.entries(of) : [];
  return [pointer, ...under.flatMap(([name, one]) => placesOf(one, pointer + formatPointer([name])))];
}

/** How to choose an operation, by numbers, since the document is not known yet. */
const choice = fc.record({
  op: fc.constantFrom('add', 'replace', 'remove', 'move', 'copy'),
  at: fc.nat(),
  to: fc.nat(),
  name: fc.constantFrom('a', 'b', 'ab', '', '0', '-'),
  value,
});

/** Operations that apply one after another; those that do not are left out. */
function patchFor(
  document: JsonObject,
  choices: readonly (typeof choice extends fc.Arbitrary<infer T> ? T : never)[],
) {
  const patch: PatchOperation[] = [];
  let here = document;
  for (const { op, at, to, name, value: given } of choices) {
    const places = placesOf(here);
    const path = places[at % places.length] ?? '';
    const target = `${places[to % places.length] ?? ''}/${name}`;
    const operation: PatchOperation =
      op === 'move' || op === 'copy'
        ? { op, from: path, path: target }
        : op === 'remove'
          ? { op, path }
          : { op, path: op === 'add' ? target : path, value: given };
    try {
      here = applyPatch(here, [operation]);
      patch.push(operation);
    } catch {
      // Not an operation on this document.
    }
  }
  return { patch, after: here };
}

function compiled(schema: JsonObject): CompiledSchema | null {
  try {
    return new Compilers().compile(schema);
  } catch {
    return null;
  }
}

it('a document that stays valid is valid', () => {
  let [proven, looked, sparsely] = [0, 0, 0];
  const look = (schema: CompiledSchema, before: JsonObject, after: JsonValue, patch: Patch) => {
    const places = changedLocations(patch);
    if (schema.parts === null || places === null || !isJsonObject(after)) return;
    looked += 1;
    const { lowered, parts } = schema;
    const proves = (one: JsonObject, isSparse: boolean) =>
      new StaysValid({ lowered, parts }, 10_000, 10_000, isSparse).check(before, one, places);
    const [first] = patch;
    const added = patch.length === 1 && first?.op === 'add' ? first : null;
    const sparse = added === null ? null : sparselyAdded(before, added.path, added.value);
    const isProvenSparsely = sparse !== null && proves(sparse, true);
    if (!proves(after, false) && !isProvenSparsely) return;
    proven += 1;
    if (isProvenSparsely) sparsely += 1;
    const described = JSON.stringify({ schema: schema.lowered, before, patch, after });
    expect(accepts(schema.validate, after), described).toBe(true);
  };
  fc.assert(
    fc.property(
      whole,
      fc.array(value, { minLength: 12, maxLength: 12 }),
      fc.array(fc.array(choice, { minLength: 1, maxLength: 3 }), { minLength: 6, maxLength: 6 }),
      (one, documents, choices) => {
        const schema = compiled(one);
        if (schema === null) return;
        for (const before of documents) {
          if (!isJsonObject(before) || accepts(schema.validate, before) !== true) continue;
          for (const each of choices) {
            const { patch, after } = patchFor(before, each);
            look(schema, before, after, patch);
          }
          for (const other of documents) {
            if (!isJsonObject(other)) continue;
            const patch = diffDocuments(before, other);
            look(schema, before, applyPatch(before, patch), patch);
            // A document that was put as a whole shares nothing with the one before.
            look(schema, before, other, patch);
          }
        }
      },
    ),
    { numRuns: runs(300) },
  );
  expect(looked).toBeGreaterThan(1000);
  expect(proven).toBeGreaterThan(100);
  expect(sparsely).toBeGreaterThan(20);
});
