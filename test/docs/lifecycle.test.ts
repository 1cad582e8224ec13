// docs/lifecycle.md against the transition tables of the code, both ways; and what a transition that is in none does.
import { describe, expect, test } from 'vitest';
import { acknowledged, CALLBACK_TRANSITIONS, delivered } from '../../src/domain/lifecycle/callback.js';
import { COMPLETION_TRANSITIONS, completionWith } from '../../src/domain/lifecycle/completion.js';
import { RUN_TRANSITIONS, started } from '../../src/domain/lifecycle/run.js';
import { SESSION_TRANSITIONS, sessionWith } from '../../src/domain/lifecycle/session.js';
import {
  BREAKER_TRANSITIONS,
  deliveryWith,
  DELIVERY_TRANSITIONS,
  destinationWith,
} from '../../src/domain/lifecycle/webhook.js';
import { newDestination } from '../../src/domain/webhooks/breaker.js';
import { aCallback, aCompletion, aDelivery, aRun, aSession } from '../store/records.js';
import { codeBlocks, sectionOf, tableRows, textOf } from './markdown.js';

const PAGE = textOf('docs/lifecycle.md');

const TABLES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  Sessions: SESSION_TRANSITIONS,
  Runs: RUN_TRANSITIONS,
  Completion: COMPLETION_TRANSITIONS,
  Callbacks: CALLBACK_TRANSITIONS,
  'Deliveries of webhooks': DELIVERY_TRANSITIONS,
  'Circuit breakers': BREAKER_TRANSITIONS,
};

/** The table `now | may become` of a section. A row of "the others" stands for every status without a row. */
function documented(section: string, statuses: readonly string[]): Record<string, readonly string[]> {
  const lines = sectionOf(PAGE, section).split('\n');
  const from = lines.findIndex((line) => /^\| now +\| may become +\|$/.test(line));
  expect(from, `${section} has a table of transitions`).toBeGreaterThan(0);
  const end = lines.indexOf('', from);
  const rows = lines.slice(from + 2, end).map((line) => line.split('|').map((cell) => cell.trim()));
  const named = rows.filter(([, now]) => now !== 'the others').map(([, now = '', then = '']) => [now, then]);
  const seen = Object.fromEntries(named.map(([now = '', then = '']) => [bare(now), listed(then)]));
  if (named.length === rows.length) return seen;
  const others = statuses.filter((one) => !(one in seen)).map((one) => [one, [] as string[]] as const);
  return { ...seen, ...Object.fromEntries(others) };
}

const bare = (cell: string) => cell.replaceAll('`', '');
const listed = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, status = '']) => status);
const sorted = (table: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(table).map(([now, then]) => [now, [...then].sort()]));

/** Pairs of different statuses, as `now > then`. */
function pairsOf(table: Readonly<Record<string, readonly string[]>>): readonly string[] {
  return Object.entries(table)
    .flatMap(([now, then]) => then.map((one) => `${now} > ${one}`))
    .sort();
}

describe('docs/lifecycle.md', () => {
  test.each(Object.entries(TABLES))(
    '%s: has the transitions of the code, and no others',
    (section, table) => {
      expect(sorted(documented(section, Object.keys(table)))).toEqual(sorted(table));
    },
  );

  test.each(Object.entries(TABLES))('%s: speaks of every status', (section, table) => {
    for (const status of Object.keys(table)) expect(sectionOf(PAGE, section)).toContain(status);
  });

  test('draws the transitions of a completion', () => {
    const [diagram = ''] = codeBlocks(sectionOf(PAGE, 'Completion'), 'mermaid');
    const drawn = [...diagram.matchAll(/^ +(\w+) --> (\w+):/gm)].map(([, now, then]) => [now, then] as const);
    const moves = drawn.filter(([now, then]) => now !== then).map(([now, then]) => `${now} > ${then}`);
    expect(moves.sort()).toEqual(pairsOf(COMPLETION_TRANSITIONS));
  });

  test('tells of an event for each transition of a completion, and of none that the code does not have', () => {
    const statuses = Object.keys(COMPLETION_TRANSITIONS);
    const named = (cell: string) =>
      statuses.filter((one) => (one === 'none' ? /^none\b/.test(cell) : cell.includes(`\`${one}\``)));
    const rows = tableRows(sectionOf(PAGE, 'Completion')).filter((row) => row.length === 4);
    expect(rows.length).toBeGreaterThan(25);
    const found = rows.flatMap(([now = '', , then = '']) =>
      named(now).flatMap((from) => named(then).map((to) => [from, to] as const)),
    );
    const moves = new Set(found.filter(([from, to]) => from !== to).map(([from, to]) => `${from} > ${to}`));
    expect([...moves].sort()).toEqual(pairsOf(COMPLETION_TRANSITIONS));
  });
});

describe('a transition that is in no table', () => {
  const NOW = 1;
  const child = aSession({ parentSessionId: 'ses_parent' });
  test.each([
    ['completion', () => completionWith(aCompletion(child, { status: 'completed' }), 'pending', {})],
    ['session', () => sessionWith(aSession({ status: 'running' }), 'pending', NOW)],
    ['run', () => started(aRun(child, 'run_1', { status: 'pending' }), NOW)],
    ['callback', () => delivered(aCallback(aSession(), child, { status: 'held' }), NOW)],
    ['callback', () => acknowledged(aCallback(aSession(), child, { status: 'dead' }), NOW)],
    ['delivery', () => deliveryWith(aDelivery({ status: 'checking' }), 'sending', {})],
    ['circuit breaker', () => destinationWith(newDestination('https://a.example', NOW), 'half_open', {})],
  ])('throws: %s', (what, move) => {
    expect(move).toThrow(new RegExp(`^a ${what} that is \\w+ cannot become \\w+$`));
  });
});
