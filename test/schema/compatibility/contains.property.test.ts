// What must hold of any two schemas: `compatible` is never said where a document shows otherwise, and `incompatible`
// never where one schema is made of the other so that it cannot be.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/domain/json/json.js';
import { accepts, schema, validator, value, whole, withoutReferences } from '../arbitrary-schemas.js';
import { contains } from '../../../src/schema/compatibility/index.js';
import { runs } from '../../support/runs.js';

const LIMITS = { compatibilityStepsMax: 5000, compatibilityItemsMax: 50 };
/** A schema like another one: some keywords taken away, some values changed. */
function mutated(one: JsonObject, seed: number): JsonObject {
  let at = seed;
  const next = () => (at = (at * 1_103_515_245 + 12_345) % 2_147_483_648) % 5;
  const walk = (part: JsonValue, key = ''): JsonValue => {
    if (Array.isArray(part)) return part.map((each) => walk(each));
    if (typeof part === 'number' && key !== 'const' && key !== 'multipleOf')
      return next() === 0 ? part + 1 : part;
    if (!isJsonObject(part)) return part;
    const kept = Object.entries(part).filter(
      ([keyword]) => keyword.startsWith('$') || 'de'.includes(keyword) || next() !== 0,
    );
    return Object.fromEntries(
      kept.map(([keyword, each]) => [
        keyword,
        keyword === 'enum' || keyword === 'const' ? each : walk(each, keyword),
      ]),
    );
  };
  return walk(one) as JsonObject;
}

const documents = fc.array(value, { minLength: 30, maxLength: 30 });
const tally = { compatible: 0, incompatible: 0, unknown: 0 };

function holdsUp(wider: JsonObject, narrower: JsonObject, tried: readonly JsonValue[]): void {
  const [wide, narrow] = [validator(wider), validator(narrower)];
  if (wide === null || narrow === null) return;
  const { verdict, differences } = contains(wider, narrower, LIMITS);
  tally[verdict] += 1;
  expect(differences.length > 0).toBe(verdict !== 'compatible');
  if (verdict !== 'compatible') return;
  for (const document of tried) {
    if (accepts(narrow, document) === true && accepts(wide, document) === false)
      throw new Error(`not contained: ${JSON.stringify(document)}`);
  }
}

describe('of any two schemas', { timeout: 120_000 }, () => {
  it('compatible is only said where every document agrees', () => {
    fc.assert(
      fc.property(whole, whole, documents, fc.nat(), (one, other, tried, seed) => {
        holdsUp(one, other, tried);
        holdsUp(one, mutated(one, seed), tried);
        holdsUp(mutated(one, seed), one, tried);
        holdsUp(mutated(one, seed), mutated(one, seed + 1), tried);
      }),
      { numRuns: runs(400) },
    );
    expect(tally.compatible).toBeGreaterThan(50);
    expect(tally.incompatible).toBeGreaterThan(50);
  });

  it('a schema takes itself', () => {
    fc.assert(
      fc.property(whole, (one) => {
        if (validator(one) !== null)
          expect(contains(one, structuredClone(one), LIMITS).verdict).toBe('compatible');
      }),
      { numRuns: runs(300) },
    );
  });

  it('what is narrowed by another schema, or is one of two, is never called incompatible', () => {
    fc.assert(
      fc.property(schema, schema, (left, right) => {
        const [one, other] = [withoutReferences(left), withoutReferences(right)];
        if (validator(one) === null || validator(other) === null) return;
        expect(contains(one, { allOf: [one, other] }, LIMITS).verdict).toBe('compatible');
        expect(contains({ anyOf: [other, one] }, one, LIMITS).verdict).not.toBe('incompatible');
        expect(contains({ allOf: [one, other] }, { allOf: [other, one] }, LIMITS).verdict).not.toBe(
          'incompatible',
        );
      }),
      { numRuns: runs(300) },
    );
  });
});
