// The life of a delivery: what is written with a commit, who may send it, and what becomes of it.
import { describe, expect, it } from 'vitest';
import { ok } from '../../../src/domain/errors.js';
import type { Webhook, WebhookDelivery } from '../../../src/domain/records/records.js';
import type { SendResult } from '../../../src/domain/webhooks/attempt.js';
import {
  attemptDone,
  claimDelivery,
  conditionChecked,
  forget,
  redeliverAgain,
  releaseDelivery,
} from '../../../src/domain/webhooks/deliver.js';
import { aDelivery, aDestination, aWebhook, NOW } from '../../store/records.js';
import { must, failureOf, sleepingRoot, World } from '../world.js';

const OK: SendResult = { kind: 'answer', status: 200, retryAfterMs: null, response: '', durationMs: 1 };
const GONE: SendResult = { ...OK, status: 410 };
const FAILED: SendResult = { ...OK, status: 500 };
const LEASE_MS = 20_000;

function world(delivery: Partial<WebhookDelivery> = {}, webhook: Partial<Webhook> = {}): World {
  const made = new World();
  made.store.apply([
    { put: 'webhook', record: aWebhook(webhook) },
    { put: 'delivery', record: aDelivery(delivery) },
  ]);
  return made;
}
const now = (one: World) => one.store.deliveries.get('dlv_1');
const claim = (one: World) => must(one.decide((unit) => claimDelivery(unit, 'dlv_1')));
const done = (one: World, attempt: number, result: SendResult) =>
  must(one.decide((unit) => attemptDone(unit, 'dlv_1', attempt, result, 0.5)));

describe('a delivery', () => {
  it('is taken by one at a time, and anew once the lease of the first has passed', () => {
    const one = world();
    expect(claim(one)).toMatchObject({
      url: 'https://ci.example/hook',
      delivery: { attempt: 1, status: 'sending' },
    });
    expect(now(one)).toMatchObject({ status: 'sending', dueAt: NOW + LEASE_MS });
    expect(claim(one)).toBeNull();
    one.now += LEASE_MS;
    expect(claim(one)).toMatchObject({ delivery: { attempt: 2 } });
  });

  it('is not moved on by a failure of somebody who was given up, but by a success', () => {
    const one = world();
    claim(one);
    one.now += LEASE_MS;
    claim(one);
    done(one, 1, FAILED);
    expect(now(one)).toMatchObject({ status: 'sending', attempt: 2, failures: 0 });
    done(one, 1, OK);
    expect(now(one)).toMatchObject({ status: 'delivered', endedAt: one.now });
    done(one, 2, FAILED);
    expect(now(one)).toMatchObject({ status: 'delivered' });
  });

  it('that is given back untried is due at once, without a failure', () => {
    const one = world();
    claim(one);
    must(one.decide((unit) => releaseDelivery(unit, 'dlv_1', 7)));
    expect(now(one)!.status).toBe('sending');
    must(one.decide((unit) => releaseDelivery(unit, 'dlv_1', 1)));
    expect(now(one)).toMatchObject({ status: 'pending', dueAt: NOW, failures: 0 });
  });

  it('waits while its destination rests, and is the one that tries it afterwards', () => {
    const one = world();
    for (let n = 1; n <= 5; n += 1) {
      claim(one);
      done(one, n, FAILED);
      one.now = now(one)!.dueAt!;
    }
    expect(one.store.destinations.get('https://ci.example')).toMatchObject({ status: 'open', failures: 5 });
    one.now = one.store.destinations.get('https://ci.example')!.until! - 1;
    one.store.apply([
      { put: 'delivery', record: { ...now(one)!, dueAt: one.now, revision: now(one)!.revision + 1 } },
    ]);
    expect(claim(one)).toBeNull();
    one.now += 1;
    expect(claim(one)).not.toBeNull();
    done(one, 6, OK);
    expect(one.store.destinations.get('https://ci.example')).toMatchObject({ status: 'closed', failures: 0 });
  });

  it('takes its webhook with it where the receiver says 410, and those after it end unsent', () => {
    const one = world();
    one.store.apply([{ put: 'delivery', record: aDelivery({ deliveryId: 'dlv_2' }) }]);
    claim(one);
    done(one, 1, GONE);
    expect(one.store.webhooks.get('whk_1')).toMatchObject({ enabled: false });
    expect(must(one.decide((unit) => claimDelivery(unit, 'dlv_2')))).toBeNull();
    expect(one.store.deliveries.get('dlv_2')).toMatchObject({
      status: 'dead',
      attempt: 0,
      reason: 'The webhook is disabled: The receiver answered 410: it wants no more.',
    });
  });

  it('is a dead letter once its time is over', () => {
    const one = world({ status: 'sending', dueAt: NOW, expiresAt: NOW - 1 });
    expect(claim(one)).toBeNull();
    expect(now(one)).toMatchObject({ status: 'dead', dueAt: null });
  });

  it('that nobody was there to send in its time is tried once more, also where a sender stops', () => {
    const expiresAt = NOW + 1000;
    const one = world({ expiresAt });
    one.now += 99 * 60 * 60_000;
    expect(claim(one)).toMatchObject({ delivery: { attempt: 1 } });
    must(one.decide((unit) => releaseDelivery(unit, 'dlv_1', 1)));
    one.now += 1;
    expect(claim(one)).toMatchObject({ delivery: { attempt: 2 } });
    done(one, 2, FAILED);
    expect(now(one)).toMatchObject({ status: 'dead', failures: 1 });
    const unchecked = world({ status: 'checking', dueAt: null, expiresAt });
    unchecked.now += 99 * 60 * 60_000;
    must(unchecked.decide((unit) => conditionChecked(unit, 'dlv_1', { began: true })));
    expect(claim(unchecked)).toMatchObject({ delivery: { attempt: 1 } });
    const lost = world({ expiresAt });
    lost.now = expiresAt;
    claim(lost);
    lost.now += LEASE_MS;
    expect(claim(lost)).toBeNull();
    expect(now(lost)).toMatchObject({ status: 'dead', attempt: 1 });
  });

  it('is a dead letter once its time is over, also untried, where its receiver does not answer', () => {
    const open = aDestination({ status: 'open', failures: 5, until: NOW });
    const one = world({ expiresAt: NOW });
    one.store.apply([{ put: 'destination', record: open }]);
    expect(claim(one)).toBeNull();
    expect(now(one)).toMatchObject({ status: 'dead', attempt: 0 });
    // Nobody has asked the receiver for longer than its circuit stays open.
    const left = world({ expiresAt: NOW });
    left.store.apply([{ put: 'destination', record: open }]);
    left.now += 300_001;
    expect(claim(left)).toMatchObject({ delivery: { attempt: 1 } });
    expect(left.store.destinations.get(open.origin)).toMatchObject({ status: 'half_open' });
  });

  it('leaves no trace where its webhook is not there, or its condition did not begin to hold', () => {
    const orphan = world({ webhookId: 'whk_gone' });
    claim(orphan);
    expect(now(orphan)).toBeUndefined();
    const checking = world({ status: 'checking', dueAt: null });
    must(checking.decide((unit) => conditionChecked(unit, 'dlv_1', { began: false })));
    expect(now(checking)).toBeUndefined();
  });

  it.each([
    [{ began: true } as const, { status: 'pending', dueAt: NOW }],
    [{ began: null, reason: 'too slow' } as const, { status: 'dead', reason: 'too slow', endedAt: NOW }],
  ])('whose condition was checked (%j) goes on', (checked, expected) => {
    const one = world({ status: 'checking', dueAt: null });
    must(one.decide((unit) => conditionChecked(unit, 'dlv_1', checked)));
    must(one.decide((unit) => conditionChecked(unit, 'dlv_1', { began: false })));
    expect(now(one)).toMatchObject(expected);
  });

  it('that has ended is sent again with its time anew; others are not', () => {
    const ended = {
      status: 'dead',
      dueAt: null,
      endedAt: NOW,
      reason: 'r',
      attempt: 4,
      failures: 4,
    } as const;
    const again = (one: World, id = 'dlv_1', hook = 'whk_1') =>
      one.decide((unit) => redeliverAgain(unit, hook, id));
    const one = world(ended);
    one.now += 99 * 60 * 60_000;
    expect(must(again(one))).toMatchObject({
      status: 'pending',
      failures: 0,
      attempt: 4,
      dueAt: one.now,
      expiresAt: one.now + 24 * 60 * 60_000,
      reason: null,
      endedAt: null,
    });
    expect(failureOf(again(one)).error).toBe('delivery_under_way');
    expect(failureOf(again(one, 'dlv_9')).error).toBe('delivery_not_found');
    expect(failureOf(again(one, 'dlv_1', 'whk_9')).error).toBe('delivery_not_found');
    expect(failureOf(again(world(ended, { enabled: false }))).error).toBe('webhook_disabled');
  });

  it('is forgotten only once it has ended', () => {
    const one = world();
    one.store.apply([
      {
        put: 'delivery',
        record: aDelivery({ deliveryId: 'dlv_2', status: 'dead', dueAt: null, endedAt: 1 }),
      },
    ]);
    must(one.decide((unit) => forget(unit, ['dlv_1', 'dlv_2', 'dlv_3'])));
    expect([...one.store.deliveries.keys()]).toEqual(['dlv_1']);
  });

  it('is forgotten with many others at once', () => {
    const one = new World();
    const ids = Array.from({ length: 100 }, (_, n) => `dlv_${String(n)}`);
    const over = { status: 'delivered', dueAt: null, endedAt: 1 } as const;
    one.store.apply(
      ids.map((deliveryId) => ({ put: 'delivery', record: aDelivery({ deliveryId, ...over }) }) as const),
    );
    must(one.decide((unit) => forget(unit, ids)));
    expect(one.store.deliveries.size).toBe(0);
  });
});

describe('a commit', () => {
  const touch = (one: World) =>
    one.decide(
      (unit) => {
        unit.putSession({ ...unit.aggregate('ses_root').session, status: 'running' });
        return ok(null);
      },
      [{ load: 'aggregate', sessionId: 'ses_root' }],
    );

  it.each<[string, Partial<Webhook>, number]>([
    ['asks for it', { events: ['session_updated'] }, 1],
    ['asks for something else', { events: ['run_updated'] }, 0],
    ['is about its tree', { events: ['session_updated'], rootSessionId: 'ses_root' }, 1],
    ['is about another tree', { events: ['session_updated'], rootSessionId: 'ses_other' }, 0],
    ['is disabled', { events: ['session_updated'], enabled: false }, 0],
  ])('writes its message with it for a webhook that %s', (_what, over, messages) => {
    const one = sleepingRoot();
    one.store.apply([{ put: 'webhook', record: aWebhook(over) }]);
    must(touch(one));
    expect(
      one.store.written.at(-1)!.filter((change) => 'put' in change && change.put === 'delivery'),
    ).toHaveLength(messages);
    for (const delivery of one.store.deliveries.values()) {
      expect(delivery).toMatchObject({ status: 'pending', dueAt: NOW, webhookId: 'whk_1' });
      expect(JSON.parse(delivery.body)).toMatchObject({
        type: 'session_updated',
        data: { status: 'running' },
      });
      expect(delivery.body).not.toContain('secret');
    }
  });
});
