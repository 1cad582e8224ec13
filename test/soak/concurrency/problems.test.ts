// The verdict is put to the test: a state where all is well passes, and whatever went wrong is told.
import { describe, expect, it } from 'vitest';
import type { EventView } from '../../../src/client/index.js';
import { Journal, type Effect, type Fate } from './journal.js';
import { problemsOf } from './problems.js';
import { Watch } from './watchers.js';

const event = (version: number, ...patch: EventView['patch']): EventView => ({
  ...{ event_id: `evt_${String(version)}`, version, kind: 'json_patch', patch },
  ...{ session_id: null, run_id: null, token_name: null, late: false },
  ...{ created_at: '2026-01-01T00:00:00.000Z', previous_hash: '', hash: '', signature: null },
});
const created = { op: 'replace', path: '', value: { slots: {}, counters: {} } } as const;
const slot = { op: 'add', path: '/slots/w1', value: 't1-1' } as const;
const count = (value: number) => ({ op: 'add', path: '/counters/c1', value }) as const;
const history = [event(1, created), event(2, slot), event(3, count(2))];
const document = { slots: { w1: 't1-1' }, counters: { c1: 2 } };

/** What a client was told of versions 1 to 3. */
function journalOf({
  token,
  effects = [],
  sum = 2,
}: { token?: Fate; effects?: Effect[]; sum?: number } = {}): Journal {
  const journal = new Journal('wfstate_1', 'hot');
  const at = (n: number) => ({ invokedAt: n * 10, returnedAt: n * 10 + 5 });
  for (const version of [1, 2, 3]) {
    const terms = { changed: true, expected: null, value: null };
    journal.operations.push({ kind: 'write', id: `w${String(version)}`, version, ...terms, ...at(version) });
  }
  journal.fates.set('t1-1', token ?? 2);
  journal.promises.push({ version: 2, effects: [{ pointer: '/slots/w1', is: 't1-1' }, ...effects] });
  journal.added.acknowledged = sum;
  return journal;
}
const problems = (journal: Journal, events = history, last: unknown = document, version = 3) =>
  problemsOf(journal, { version, document: last, events });

describe('a state', () => {
  it('passes where its history holds all that was told', () => {
    expect(problems(journalOf())).toEqual([]);
    expect(problems(journalOf({ token: 'lost' }))).toEqual([]);
  });

  it.each<[string, RegExp, () => readonly string[]]>([
    [
      'a gap',
      /has 3 where 2 was to be/,
      () => problems(journalOf(), [event(1, created), event(3, slot, count(2))]),
    ],
    [
      'an end before the end',
      /ends with 3, the state has 4/,
      () => problems(journalOf(), history, document, 4),
    ],
    [
      'a lost write',
      /acknowledged in version 3 and is in version 2/,
      () => problems(journalOf({ token: 3 })),
    ],
    [
      'a write that is nowhere',
      /acknowledged in version 2 and is nowhere/,
      () => problems(journalOf(), [event(1, created), event(2, { ...slot, value: '' }), event(3, count(2))]),
    ],
    [
      'a refused write',
      /was not to be written and is in version 2/,
      () => problems(journalOf({ token: 'void' })),
    ],
    [
      'a write that happened twice',
      /written twice: in version 2 and 3/,
      () =>
        problems(journalOf({ token: 'lost' }), [event(1, created), event(2, slot), event(3, slot, count(2))]),
    ],
    [
      'a write from nowhere',
      /t9-9 was never sent/,
      () =>
        problems(journalOf(), [
          event(1, created),
          event(2, slot, { ...slot, path: '/slots/w9', value: 't9-9' }),
        ]),
    ],
    [
      'an effect that is missing',
      /version 2 lacks what was acknowledged/,
      () => problems(journalOf({ effects: [{ pointer: '/counters/c1', adds: 1 }] })),
    ],
    [
      'another document',
      /does not give the document/,
      () => problems(journalOf(), history, { ...document, slots: {} }),
    ],
    ['a lost increment', /counters are at 2: 3 acknowledged, 0 lost/, () => problems(journalOf({ sum: 3 }))],
    [
      'an increment too many',
      /counters are at 2: 1 acknowledged, 0 lost/,
      () => problems(journalOf({ sum: 1 })),
    ],
    [
      'an answer that cannot have been given',
      /stale_read/,
      () => {
        const journal = journalOf();
        const at = { invokedAt: 50, returnedAt: 55 };
        journal.operations.push({ kind: 'read', id: 'r', version: 2, value: null, ...at });
        return problems(journal);
      },
    ],
    [
      'a document that was never there',
      /two_values|lost_update/,
      () => {
        const journal = journalOf();
        const at = { invokedAt: 50, returnedAt: 55 };
        journal.operations.push({ kind: 'read', id: 'r', version: 3, value: 'other', ...at });
        return problems(journal);
      },
    ],
  ])('does not pass with %s', (_, words, find) => {
    expect(find().join('\n')).toMatch(words);
  });
});

describe('a watcher', () => {
  const after = (versions: readonly number[], each?: boolean) => {
    const watch = new Watch('w', each);
    for (const version of versions) watch.hear('s', version);
    return watch.problems.length;
  };

  it('hears every version once and in order', () => {
    expect(after([1, 2, 3])).toBe(0);
    expect([after([1, 3]), after([1, 2, 2]), after([2]), after([1, 2, 1])].every((n) => n > 0)).toBe(true);
  });

  it('that is told of the newest only may pass over versions, and never goes back', () => {
    expect(after([1, 5, 9], false)).toBe(0);
    expect([after([1, 5, 4], false), after([5, 5], false)]).toEqual([1, 1]);
  });
});
