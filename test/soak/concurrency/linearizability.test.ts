// The checker is checked: histories that happened pass, and each way of breaking one is found by its name.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { breachesIn, type Operation, type Read, type Write } from './linearizability.js';

const write = (
  id: string,
  at: readonly [number, number],
  version: number,
  more: Partial<Write> = {},
): Write => ({
  ...{ kind: 'write', id, invokedAt: at[0], returnedAt: at[1], version, value: `v${String(version)}` },
  ...{ changed: true, expected: null },
  ...more,
});
const read = (
  id: string,
  at: readonly [number, number],
  version: number,
  more: Partial<Read> = {},
): Read => ({
  ...{ kind: 'read', id, invokedAt: at[0], returnedAt: at[1], version, value: `v${String(version)}` },
  ...more,
});
const created = write('create', [0, 1], 1);
const rulesIn = (...operations: Operation[]) => breachesIn([created, ...operations]).map(({ rule }) => rule);

describe('a history that can have happened', () => {
  it('passes where operations follow each other', () => {
    expect(rulesIn(write('a', [2, 3], 2), read('r', [4, 5], 2), write('b', [6, 7], 3))).toEqual([]);
  });

  it('passes in whatever order operations that overlap took effect', () => {
    expect(rulesIn(write('a', [2, 9], 3), write('b', [3, 8], 2), read('r', [4, 10], 2))).toEqual([]);
  });

  it('passes where a read sees a write that has not returned yet, and another that overlaps does not', () => {
    expect(rulesIn(write('a', [2, 9], 2), read('r', [3, 5], 2), read('s', [4, 8], 1))).toEqual([]);
  });

  it('passes where the past is asked for', () => {
    expect(rulesIn(write('a', [2, 3], 2), read('r', [4, 5], 1, { kind: 'past' }))).toEqual([]);
  });

  it('passes where conditions held, did not hold, and nothing changed', () => {
    const conflict = {
      kind: 'conflict',
      id: 'c',
      invokedAt: 4,
      returnedAt: 5,
      version: 2,
      value: 'v2',
      expected: 1,
    } as const;
    const again = write('n', [6, 7], 2, { changed: false, expected: 2 });
    expect(rulesIn(write('a', [2, 3], 2, { expected: 1 }), conflict, again)).toEqual([]);
  });

  it('passes where a lost write took effect long after it was sent, or never', () => {
    const lost = [
      { kind: 'lost', id: 'l', invokedAt: 2 },
      { kind: 'lost', id: 'm', invokedAt: 2 },
    ] as const;
    expect(rulesIn(...lost, write('a', [3, 4], 2), read('r', [50, 51], 3), write('b', [60, 61], 4))).toEqual(
      [],
    );
  });

  it('passes whatever the interleaving was', () => {
    fc.assert(
      fc.property(happened, (operations) => {
        expect(breachesIn(operations)).toEqual([]);
      }),
    );
  });
});

describe('a broken history', () => {
  it('is found out by a stale read', () => {
    expect(rulesIn(write('a', [2, 3], 2), read('r', [4, 5], 1))).toEqual(['stale_read']);
  });

  it('is found out by a read that falls behind another read', () => {
    const reads = [read('r', [3, 4], 2), read('s', [5, 6], 1)];
    expect(rulesIn(write('a', [2, 9], 2), ...reads)).toEqual(['stale_read']);
  });

  it('is found out by a stale answer that nothing changed', () => {
    expect(rulesIn(write('a', [2, 3], 2), write('n', [4, 5], 1, { changed: false }))).toEqual(['stale_read']);
  });

  it('is found out by an update that went over one that it had not seen', () => {
    const [first, second] = [write('a', [2, 5], 2, { expected: 1 }), write('b', [3, 6], 3, { expected: 1 })];
    expect(rulesIn(first, second)).toEqual(['lost_update']);
  });

  it('is found out by an update that is not in what others read', () => {
    expect(rulesIn(write('a', [2, 3], 2), read('r', [4, 5], 2, { value: 'v1' }))).toEqual(['lost_update']);
  });

  it('is found out by two writes with one version', () => {
    expect(rulesIn(write('a', [2, 5], 2), write('b', [3, 6], 2))).toEqual(['two_writes_one_version']);
  });

  it('is found out by a read from the future', () => {
    expect(rulesIn(read('r', [2, 3], 2), write('a', [4, 5], 2))).toEqual(['read_from_the_future']);
  });

  it('is found out by writes in another order than that of the clock', () => {
    expect(rulesIn(write('a', [2, 3], 3), write('b', [4, 5], 2))).toEqual(['reordered']);
  });

  it('is found out by two values of one version', () => {
    const lost = { kind: 'lost', id: 'l', invokedAt: 2 } as const;
    const reads = [read('r', [3, 4], 2), read('s', [3, 4], 2, { value: 'other' })];
    expect(rulesIn(lost, ...reads)).toEqual(['two_values']);
  });

  it('is found out by a condition that was ignored, or refused although it held', () => {
    const ignored = write('n', [4, 5], 2, { changed: false, expected: 1 });
    expect(rulesIn(write('a', [2, 3], 2), ignored)).toEqual(['condition_ignored']);
    const at = { invokedAt: 2, returnedAt: 3 };
    expect(rulesIn({ kind: 'conflict', id: 'c', ...at, version: 1, value: null, expected: 1 })).toEqual([
      'false_conflict',
    ]);
  });

  it('is found out by a version that nobody can have written', () => {
    expect(rulesIn(read('r', [2, 3], 2))).toEqual(['unexplained_version']);
    expect(rulesIn(write('a', [2, 3], 3))).toEqual(['unexplained_version']);
    const late = { kind: 'lost', id: 'l', invokedAt: 9 } as const;
    expect(rulesIn(late, read('r', [2, 3], 2))).toEqual(['unexplained_version']);
    const one = { kind: 'lost', id: 'l', invokedAt: 1 } as const;
    expect(rulesIn(one, read('r', [2, 3], 3))).toEqual(['unexplained_version']);
  });

  it('is found out wherever an acknowledged write is moved behind one that followed it', () => {
    fc.assert(
      fc.property(happened, (operations) => {
        const changes = operations.filter((one) => one.kind === 'write' && one.changed) as Write[];
        const pair = changes.flatMap((a) =>
          changes.filter((b) => a.returnedAt < b.invokedAt).map((b) => [a, b] as const),
        )[0];
        fc.pre(pair !== undefined);
        const [a, b] = pair;
        const swapped = operations.map((one) =>
          one === a ? { ...a, version: b.version } : one === b ? { ...b, version: a.version } : one,
        );
        expect(breachesIn(swapped).map(({ rule }) => rule)).toContain('reordered');
      }),
    );
  });
});

/** Histories of a register that was there: each operation takes effect at its place, somewhere inside of its interval. */
const happened = fc
  .array(
    fc.record({
      what: fc.constantFrom('write', 'write', 'read', 'same', 'cas', 'lost', 'vain'),
      before: fc.integer({ min: 0, max: 40 }),
      after: fc.integer({ min: 0, max: 40 }),
    }),
    { maxLength: 40 },
  )
  .map((steps): Operation[] => {
    let version = 1;
    const operations: Operation[] = [created];
    steps.forEach(({ what, before, after }, n) => {
      const moment = 100 + n * 5;
      const at = [moment - before, moment + after] as const;
      const id = `${what}${String(n)}`;
      if (what === 'read') operations.push(read(id, at, version));
      else if (what === 'same') operations.push(write(id, at, version, { changed: false }));
      else if (what === 'vain') operations.push({ kind: 'lost', id, invokedAt: at[0] });
      else {
        version += 1;
        const expected = what === 'cas' ? version - 1 : null;
        if (what === 'lost') operations.push({ kind: 'lost', id, invokedAt: at[0] });
        else operations.push(write(id, at, version, { expected }));
      }
    });
    return operations;
  });
