// Each kind of damage is found, and a sound database is left in peace.
import { expect, it } from 'vitest';
import type { Change } from '../../../src/domain/transactions/changeset.js';
import {
  NOW,
  aCallback,
  aCompletion,
  aDelivery,
  aRun,
  aSession,
  aSnapshot,
  aState,
  anEvent,
  childOf,
} from '../records.js';
import { write, type Subject } from './subject.js';

const root = aSession();
const child = childOf(root, 'ses_child', { callback: true });
const released = { status: 'completed', workOutcome: 'completed', releasedAt: NOW } as const;
const ended = { workOutcome: 'completed' } as const;

const session = (record = child): Change => ({ put: 'session', record });
const completion = (over: Parameters<typeof aCompletion>[1]): Change => ({
  put: 'completion',
  record: aCompletion(child, over),
});
const callback = (over: Parameters<typeof aCallback>[2]): Change => ({
  put: 'callback',
  record: aCallback(root, child, over),
});
const run = (id: string, over: Parameters<typeof aRun>[2], of = child): Change => ({
  put: 'run',
  record: aRun(of, id, over),
});
const ofGrandchild = (status: 'held' | 'queued' | 'dead'): Change => ({
  put: 'callback',
  record: aCallback(child, childOf(child, 'ses_grand'), { status, delivery: 'pull', reason: 'r' }),
});
const delivery = (over: Parameters<typeof aDelivery>[0]): Change => ({
  put: 'delivery',
  record: aDelivery(over),
});
const state = (over: Parameters<typeof aState>[0] = {}): Change => ({ put: 'state', record: aState(over) });
const event = (over: Parameters<typeof anEvent>[0] = {}): Change => ({ put: 'event', record: anEvent(over) });
const snapshot: Change = { put: 'snapshot', record: aSnapshot() };
const update = { purpose: 'state_update' } as const;

const SOUND: readonly [string, readonly Change[]][] = [
  ['nothing', []],
  ['a history', [state({ version: 2 }), event(), event({ version: 2 }), snapshot]],
  ['work under way', [session(), completion({}), callback({}), run('r', { status: 'running', dueAt: 5 })]],
  ['a release', [session(), completion(released), callback({ status: 'delivered', runId: 'gone' })]],
  ['a release that nobody asked to hear of', [session({ ...child, callback: false }), completion(released)]],
  [
    'a dead letter with a reason',
    [session(), completion(released), callback({ status: 'dead', reason: 'the parent failed' })],
  ],
  [
    'a callback on its way',
    [session(), completion(released), callback({ status: 'queued', runId: 'r' }), run('r', {}, root)],
  ],
  [
    'a callback that waits for its parent',
    [callback({ status: 'queued' }), run('r', { status: 'running', dueAt: 5 }, root)],
  ],
  [
    'a callback whose message is on its way',
    [
      callback({ status: 'queued', delivery: 'webhook', deliveryId: 'dlv_1' }),
      delivery({ webhookId: null, callbackId: 'cb_ses_child_1' }),
    ],
  ],
  [
    'deliveries of every status',
    [
      delivery({}),
      delivery({ deliveryId: 'b', status: 'checking', dueAt: null }),
      delivery({ deliveryId: 'c', status: 'delivered', dueAt: null, endedAt: 5 }),
      delivery({ deliveryId: 'd', status: 'dead', dueAt: null, endedAt: 5, reason: 'r' }),
    ],
  ],
  ['a callback to be pulled', [callback({ status: 'queued', delivery: 'pull' })]],
  ['a state update', [session(), completion({ ...ended, status: 'pending' }), run('r', update)]],
  ['external work', [session({ ...child, external: true }), completion({ dueAt: 5 })]],
  [
    'external work that is never lost',
    [session({ ...child, external: true, heartbeatTimeoutMs: 0 }), completion({})],
  ],
  ['a request', [session(), completion({ ...ended, status: 'pending', dueAt: 5 })]],
  [
    'a completion that awaits',
    [session(), completion({ ...ended, status: 'pending' }), ofGrandchild('held')],
  ],
  [
    'a skip that waits for children',
    [session(), completion({ ...ended, status: 'skipped' }), ofGrandchild('held')],
  ],
  [
    'a pending completion whose session hears of its children',
    [
      session(),
      completion({ ...ended, status: 'pending' }),
      run('r', { status: 'running', purpose: 'callback', dueAt: 5 }),
    ],
  ],
  [
    'stopped work that had not begun, since the work before it is not told of yet',
    [
      session(),
      completion({ ...ended, status: 'skipped' }),
      run('r', { ...update, status: 'stopping', dueAt: 5 }),
      completion({ ...ended, generation: 2, workOutcome: 'stopped' }),
    ],
  ],
  ['ended work that awaits', [session(), completion(ended), ofGrandchild('queued')]],
  [
    'a recorded result whose run goes on',
    [
      session(),
      completion({ ...ended, status: 'completed' }),
      run('r', { ...update, status: 'running', dueAt: 5 }),
    ],
  ],
];

const DAMAGE: readonly [check: string, subject: string, changes: readonly Change[]][] = [
  [
    'history_complete',
    'wst_1',
    [state({ version: 3 }), event(), event({ version: 3, previousHash: anEvent().hash }), snapshot],
  ],
  [
    'history_complete',
    'wst_1',
    [state({ version: 1, lastHash: anEvent({ version: 2 }).hash }), event({ version: 2 }), snapshot],
  ],
  [
    'history_chained',
    'wst_1',
    [state({ version: 2 }), event(), event({ version: 2, previousHash: 'forged' }), snapshot],
  ],
  ['history_chained', 'wst_1', [state(), event({ previousHash: 'before' }), snapshot]],
  ['head_matches_history', 'wst_1', [state({ lastHash: 'forged' }), event(), snapshot]],
  ['head_matches_history', 'wst_1', [state({ version: 2 }), event(), snapshot]],
  ['snapshot_kept', 'wst_1', [state(), event()]],
  ['released_callback_sent', 'cb_ses_child_1', [session(), completion(released), callback({})]],
  ['release_has_callback', 'ses_child', [session(), completion(released)]],
  ['release_has_callback', 'ses_child', [session({ ...child, generation: 2 }), completion(released)]],
  [
    'queued_callback_carried',
    'cb_ses_child_1',
    [callback({ status: 'queued', runId: 'r' }), run('r', { status: 'failed' }, root)],
  ],
  ['queued_callback_carried', 'cb_ses_child_1', [callback({ status: 'queued', runId: 'gone' })]],
  [
    'queued_callback_has_a_way',
    'cb_ses_child_1',
    [callback({ status: 'queued' }), run('r', { status: 'completed' }, root)],
  ],
  ['dead_callback_explained', 'cb_ses_child_1', [callback({ status: 'dead' })]],
  [
    'ended_completion_released',
    'ses_child',
    [session(), completion({ ...ended, status: 'failed' }), callback({})],
  ],
  [
    'ended_completion_released',
    'ses_child',
    [session(), completion({ ...ended, status: 'skipped' }), ofGrandchild('dead')],
  ],
  [
    'ended_completion_released',
    'ses_child',
    [session(), completion({ ...ended, status: 'completed' }), run('r', { ...update, status: 'completed' })],
  ],
  [
    'pending_completion_moves',
    'ses_child',
    [session(), completion({ ...ended, status: 'pending' }), run('r', { ...update, status: 'failed' })],
  ],
  [
    'pending_completion_moves',
    'ses_child',
    [
      session(),
      completion({ ...ended, status: 'pending', request: { attempt: 1, of: 3, prompt: 'p' } }),
      run('r', { status: 'completed' }),
    ],
  ],
  [
    'pending_completion_moves',
    'ses_child',
    [session(), completion({ ...ended, status: 'pending' }), ofGrandchild('dead')],
  ],
  [
    'next_work_begins',
    'ses_child',
    [session(), completion(released), completion({ generation: 2 }), run('r', { generation: 2 })],
  ],
  ['open_work_watched', 'ses_child', [session({ ...child, external: true }), completion({})]],
  ['open_work_watched', 'ses_child', [session(), completion({ status: 'completed' })]],
  ['ended_work_settled', 'ses_child', [session(), completion(ended), ofGrandchild('dead')]],
  [
    'ended_work_settled',
    'ses_child',
    [session(), completion(released), completion({ ...ended, generation: 2 })],
  ],
  [
    'one_run_under_way',
    'ses_child',
    [run('a', { status: 'running', dueAt: 5 }), run('b', { status: 'claimed', dueAt: 5 })],
  ],
  [
    'queued_callback_has_message',
    'cb_ses_child_1',
    [callback({ status: 'queued', delivery: 'webhook', deliveryId: null })],
  ],
  [
    'queued_callback_has_message',
    'cb_ses_child_1',
    [
      callback({ status: 'queued', delivery: 'webhook', deliveryId: 'dlv_1' }),
      delivery({ webhookId: null, status: 'dead', dueAt: null, endedAt: 5, reason: 'r' }),
    ],
  ],
  ['delivery_moves', 'dlv_1', [delivery({ dueAt: null })]],
  ['dead_delivery_explained', 'dlv_1', [delivery({ status: 'dead', dueAt: null, endedAt: 5 })]],
  ['run_has_deadline', 'r', [run('r', { status: 'stopping' })]],
];

export function conformDoctor({ store }: Subject): void {
  it.each(SOUND)('finds nothing wrong with %s', async (_what, changes) => {
    await write(store(), ...changes);
    expect(await store().read.doctor(NOW, 10)).toEqual([]);
  });

  it.each(DAMAGE)('finds damage: %s of %s', async (check, subject, changes) => {
    await write(store(), ...changes);
    const findings = await store().read.doctor(NOW, 10);
    expect(findings).toContainEqual({ check, subject, detail: expect.stringMatching(/^[A-Z][^\n]*\.$/) });
  });

  it('bounds the findings of each check', async () => {
    const runs = [1, 2, 3].map((i) => run(`r${i}`, { status: 'running' }, childOf(root, `s${i}`)));
    await write(store(), ...runs);
    expect(await store().read.doctor(NOW, 2)).toHaveLength(2);
  });
}
