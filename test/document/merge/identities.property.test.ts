// Merging arrays without a key, held against a model in which each item has an identity that the merge is not told.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/domain/json/json.js';
import { jsonEqual } from '../../../src/domain/json/json.js';
import { mergeDocuments } from '../../../src/document/index.js';
import { deepFreeze } from '../../schema/arbitrary.js';
import { runs } from '../../support/runs.js';

/** `t` is the identity: no edit changes it. What else an item holds tells none apart in the base. */
interface Item {
  readonly t: string;
  readonly s: string;
  readonly n: number;
}
type Items = readonly Item[];

type Edit =
  | { readonly kind: 'change'; readonly at: number; readonly member: 's' | 'n' }
  | { readonly kind: 'insert' | 'remove'; readonly at: number }
  | { readonly kind: 'move'; readonly at: number; readonly to: number };

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ kind: fc.constant('change' as const), at: fc.nat(9), member: fc.constantFrom('s', 'n') }),
  fc.record({ kind: fc.constantFrom('insert' as const, 'remove' as const), at: fc.nat(9) }),
  fc.record({ kind: fc.constant('move' as const), at: fc.nat(9), to: fc.nat(9) }),
);
const base = fc
  .integer({ min: 2, max: 6 })
  .map((length): Items => Array.from({ length }, (_, i) => ({ t: `i${String(i)}`, s: 'o', n: 0 })));
const edits = fc.array(edit, { minLength: 1, maxLength: 4 });

function edited(before: Items, by: readonly Edit[], who: string): Items {
  const items = [...before];
  for (const [nth, one] of by.entries()) {
    const at = one.at % (items.length + (one.kind === 'insert' ? 1 : 0) || 1);
    const here = items[at];
    if (one.kind === 'insert') items.splice(at, 0, { t: `${who}${String(nth)}`, s: 'o', n: 0 });
    if (here === undefined) continue;
    if (one.kind === 'remove') items.splice(at, 1);
    if (one.kind === 'change') items[at] = one.member === 's' ? { ...here, s: who } : { ...here, n: nth + 1 };
    if (one.kind === 'move') {
      items.splice(at, 1);
      items.splice(one.to % (items.length + 1), 0, here);
    }
  }
  return items;
}

const byIdentity = (items: Items) => new Map(items.map((item) => [item.t, item]));
const CONFLICT = Symbol('conflict');

/** What three-way merging makes of one item, or of one of its members. */
function expectedOf<T>(
  b: T | undefined,
  t: T | undefined,
  y: T | undefined,
): T | undefined | typeof CONFLICT {
  const same = (p: T | undefined, q: T | undefined) => jsonEqual(p as JsonValue, q as JsonValue);
  if (same(t, y) || same(y, b)) return t;
  return same(t, b) ? y : CONFLICT;
}

function expectedItem(b: Item | undefined, t: Item | undefined, y: Item | undefined) {
  const whole = expectedOf(b, t, y);
  if (whole !== CONFLICT || b === undefined || t === undefined || y === undefined) return whole;
  const [s, n] = [expectedOf(b.s, t.s, y.s), expectedOf(b.n, t.n, y.n)];
  return s === CONFLICT || n === CONFLICT ? CONFLICT : { t: b.t, s, n };
}

function sidesOf([before, one, other]: [Items, readonly Edit[], readonly Edit[]]) {
  const theirs = edited(before, one, 'T');
  const yours = edited(before, other, 'Y');
  const frozen = [before, theirs, yours].map((items) => deepFreeze(items as unknown as JsonValue));
  const { document, conflicts } = mergeDocuments(frozen[0]!, frozen[1]!, frozen[2]!, () => null);
  const merged = document as unknown as Items;
  const [b, t, y] = [byIdentity(before), byIdentity(theirs), byIdentity(yours)];
  const ids = [...new Set([...b.keys(), ...t.keys(), ...y.keys()])];
  return { before, theirs, yours, merged, conflicts, b, t, y, ids };
}

const scenario = fc.tuple(base, edits, edits);
const many = { numRuns: runs(3000) };

describe('a merge of items that no key identifies', () => {
  it('without a conflict is what merging item by item gives, whoever inserted, removed or moved what', () => {
    fc.assert(
      fc.property(scenario, (one) => {
        const { merged, conflicts, b, t, y, ids } = sidesOf(one);
        if (conflicts.length > 0) return;
        const found = byIdentity(merged);
        expect(merged).toHaveLength(found.size);
        for (const id of ids) expect(found.get(id)).toEqual(expectedItem(b.get(id), t.get(id), y.get(id)));
      }),
      many,
    );
  });

  it('finds no conflict where the sides have changed different items, and put or removed others', () => {
    fc.assert(
      fc.property(scenario, ([before, one, other]) => {
        const still = (by: readonly Edit[]) => by.filter(({ kind }) => kind !== 'move');
        const { conflicts, b, t, y } = sidesOf([before, still(one), still(other)]);
        const touched = (side: ReadonlyMap<string, Item>) =>
          [...b.keys()].filter((id) => !jsonEqual(side.get(id) as never, b.get(id) as never));
        const mine = new Set(touched(y));
        fc.pre(!touched(t).some((id) => mine.has(id)));
        expect(conflicts).toEqual([]);
      }),
      many,
    );
  });

  it('that is forced takes yours where you changed, and leaves what others made of the rest', () => {
    fc.assert(
      fc.property(scenario, (one) => {
        const { merged, b, t, y, ids } = sidesOf(one);
        const found = byIdentity(merged);
        expect(merged).toHaveLength(found.size);
        for (const id of ids) {
          const expected = expectedItem(b.get(id), t.get(id), y.get(id));
          const [mine, there] = [y.get(id), found.get(id)];
          if (expected !== CONFLICT) expect([expected, mine]).toContainEqual(there);
          else if (mine === undefined) expect(there).toBeUndefined();
          else expect(there).toMatchObject(changesOf(b.get(id), mine));
          // Something new in the place of something removed cannot be told from a change of that.
          const isTold = b.has(id) || [...b.keys()].every((old) => t.has(old));
          if (isTold && jsonEqual(mine as never, b.get(id) as never)) expect(there).toEqual(t.get(id));
        }
      }),
      many,
    );
  });

  it('keeps the order of what neither side has moved', () => {
    fc.assert(
      fc.property(scenario, ([before, one, other]) => {
        const still = (by: readonly Edit[]) => by.filter(({ kind }) => kind !== 'move');
        const { merged, theirs, yours } = sidesOf([before, still(one), still(other)]);
        for (const side of [before, theirs, yours]) {
          const place = new Map(side.map(({ t }, index) => [t, index]));
          const places = merged.flatMap(({ t }) => place.get(t) ?? []);
          expect(places).toEqual(places.toSorted((p, q) => p - q));
        }
      }),
      many,
    );
  });
});

function changesOf(before: Item | undefined, after: Item): Partial<Item> {
  const changed = Object.entries(after).filter(([name, value]) => before?.[name as keyof Item] !== value);
  return Object.fromEntries(changed);
}
