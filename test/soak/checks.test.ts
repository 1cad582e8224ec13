import { describe, expect, it } from 'vitest';
import type { EventView } from '../../src/client/index.js';
import type { Note } from '../support/agents.js';
import { problemsIn } from './checks.js';
import type { CallbackRow, CompletionRow, Remains } from './remains.js';

const CHILD = 't1-dutiful-1';
const scenario = { root: 't1-root', children: [CHILD] };

const event = (version: number, path: string, value: object): EventView => ({
  event_id: `evt_${String(version)}`,
  version,
  kind: 'json_patch',
  patch: [{ op: 'add', path, value: value as Record<string, never> }],
  session_id: version === 1 ? 'ses_root' : 'ses_child',
  run_id: null,
  token_name: null,
  late: false,
  created_at: '2026-01-01T00:00:00.000Z',
  previous_hash: '',
  hash: '',
  signature: null,
});

const completion: CompletionRow = {
  session_id: 'ses_child',
  name: CHILD,
  parent: 't1-root',
  generation: 1,
  status: 'completed',
  reason: null,
  released_at: 1,
  work_outcome: 'completed',
  work_error: null,
};

const failedRoot = (error: string): CompletionRow => ({
  ...completion,
  session_id: 'ses_root',
  name: 't1-root',
  parent: null,
  work_outcome: 'failed',
  work_error: error,
});

const callback: CallbackRow = {
  callback_id: 'cb_1',
  child_session_id: 'ses_child',
  child_generation: 1,
  status: 'delivered',
  run_id: 'run_2',
  message: '<agent-callback>done</agent-callback>',
};

const wrote: Note = {
  session: CHILD,
  purpose: 'state_update',
  run: 'run_1',
  at: 1,
  wrote: { path: '/a', value: { n: 1 }, version: 2, changed: true },
};
const told: Note = { session: 't1-root', purpose: 'callback', run: 'run_2', at: 2, told: callback.message! };

const sound: Remains = {
  state: { version: 2, document: { a: { n: 1 } } },
  events: [event(1, '', {}), event(2, '/a', { n: 1 })],
  sessions: [
    { id: 'ses_root', name: 't1-root' },
    { id: 'ses_child', name: CHILD },
  ],
  completions: [completion],
  callbacks: [callback],
  notes: [wrote, told],
};

const problems = (change: Partial<Remains>, redelivered: readonly string[] = []) =>
  problemsIn({ ...sound, ...change }, scenario, new Set(redelivered));

describe('the checks of a crash test', () => {
  it('have nothing to say where all is well', () => {
    expect(problems({})).toEqual([]);
  });

  it.each<[string, Partial<Remains>, string]>([
    ['a child that is missing', { sessions: sound.sessions.slice(0, 1) }, 'was never started'],
    [
      'a child that is missing because its parent failed by itself',
      { sessions: sound.sessions.slice(0, 1), completions: [completion, failedRoot('exited with code 1')] },
      'the work of t1-root is failed, exited with code 1',
    ],
    [
      'an answer that should not have been',
      { notes: [told, { ...wrote, fault: '500' }] },
      'was answered 500',
    ],
    ['a gap in the history', { events: [event(1, '', {}), event(3, '/a', { n: 1 })] }, 'has 3 where 2'],
    ['a history that ends early', { events: [event(1, '', {})] }, 'ends with 1, the state has 2'],
    ['another document', { state: { version: 2, document: {} } }, 'does not give the document'],
    [
      'a lost write',
      { notes: [told, { ...wrote, wrote: { ...wrote.wrote!, path: '/b' } }] },
      'acknowledged and is lost',
    ],
    [
      'a write under another version',
      { notes: [told, { ...wrote, wrote: { ...wrote.wrote!, version: 1 } }] },
      'acknowledged and is lost',
    ],
    [
      'a child that was never released',
      { completions: [{ ...completion, released_at: null }] },
      'never released',
    ],
    [
      'a result that was lost without a word',
      { completions: [{ ...completion, status: 'failed', reason: 'no reason' }] },
      'is failed instead of completed',
    ],
    ['a missing callback', { callbacks: [] }, 'is there 0 times'],
    [
      'a doubled callback',
      { callbacks: [callback, { ...callback, callback_id: 'cb_2' }] },
      'is there 2 times',
    ],
    ['a parent that waits', { callbacks: [{ ...callback, status: 'held' }] }, 'is held'],
    ['a callback that nobody saw', { notes: [wrote] }, 'never saw it'],
    ['a callback seen twice', { notes: [wrote, told, { ...told, run: 'run_3' }] }, 'was seen in 2 runs'],
  ])('find %s', (_, change, sentence) => {
    expect(problems(change).join()).toContain(sentence);
  });

  it('let a run tell its callback again, and a dead letter come in another run', () => {
    expect(problems({ notes: [wrote, told, told] })).toEqual([]);
    expect(problems({ notes: [wrote, told, { ...told, run: 'run_3' }] }, ['cb_1'])).toEqual([]);
  });

  it('excuse a failure that the kills were the cause of, where it says so', () => {
    const reason = 'The child could not be asked: The runner was lost, 3 times.';
    expect(problems({ completions: [{ ...completion, status: 'failed', reason }] })).toEqual([]);
    const givenUp = [completion, failedRoot('The runner was lost, 3 times.')];
    expect(problems({ sessions: sound.sessions.slice(0, 1), completions: givenUp })).not.toContainEqual(
      expect.stringContaining('never started'),
    );
  });
});
