// Reads webhooks and deliveries outside decisions.
import { and, asc, eq, sql, type SQL } from 'drizzle-orm';
import type { WebhookReader } from '../../../ports/storage/webhook-store.js';
import { answer } from '../faults.js';
import type { Db } from '../db.js';
import { pageOf } from '../../lists/pages.js';
import { runNow } from '../../steps.js';
import { listReads } from './lists.js';
import * as rows from '../tables/rows.js';
import { isTime, LAST_MS } from '../../rows/values.js';
import { outdatedDeliveries, waitingOrigins } from '../../deliveries.js';
import * as lists from '../../lists/lists.js';
import { damageOf, intactOrNull, type OnDamage } from '../../rows/intact-rows.js';
import * as tables from '../tables/tables.js';
import { whenUsed } from '../when-used.js';

const { deliveries, destinations, webhooks } = tables;

const id = sql.placeholder('id');
const untilNow = sql`<= ${sql.placeholder('now')}`;

function prepareReads(db: Db) {
  const selectDeliveries = () => db.select(rows.deliveryColumns).from(deliveries);
  const selectDue = (when: SQL, also?: SQL) =>
    db
      .select({
        deliveryId: deliveries.deliveryId,
        callbackId: deliveries.callbackId,
        rootSessionId: deliveries.rootSessionId,
      })
      .from(deliveries)
      .where(
        and(
          eq(deliveries.origin, id),
          sql`${deliveries.dueAt} is not null`,
          sql`${deliveries.dueAt} ${when}`,
          also,
        ),
      )
      .orderBy(asc(deliveries.dueAt), asc(deliveries.seq))
      .limit(sql.placeholder('rowsMax'));
  return whenUsed({
    webhook: () => db.select(rows.webhookColumns).from(webhooks).where(eq(webhooks.webhookId, id)).prepare(),
    delivery: () => selectDeliveries().where(eq(deliveries.deliveryId, id)).prepare(),
    unchecked: () =>
      db
        .select({ deliveryId: deliveries.deliveryId })
        .from(deliveries)
        .where(eq(deliveries.status, 'checking'))
        .orderBy(asc(deliveries.seq))
        .limit(sql.placeholder('rowsMax'))
        .prepare(),
    due: () => selectDue(untilNow).prepare(),
    expired: () => selectDue(untilNow, sql`${deliveries.expiresAt} ${untilNow}`).prepare(),
    /** SQLite sorts invalid times after all times: such a delivery would never become due. */
    dueAtNoTime: () => selectDue(sql`> ${LAST_MS}`).prepare(),
    destination: () =>
      db.select(rows.destinationColumns).from(destinations).where(eq(destinations.origin, id)).prepare(),
  });
}

export class WebhookReads implements WebhookReader {
  readonly #db: Db;
  readonly #onDamage: OnDamage;
  readonly #lists: ReturnType<typeof listReads>;
  readonly #reads: ReturnType<typeof prepareReads>;

  constructor(db: Db, onDamage: OnDamage) {
    this.#db = db;
    this.#onDamage = onDamage;
    this.#lists = listReads(db);
    this.#reads = prepareReads(db);
  }

  list: WebhookReader['list'] = (filter, page) =>
    answer(() => runNow(pageOf(lists.webhooks(tables, filter), page, this.#onDamage, this.#lists.webhooks)));

  get: WebhookReader['get'] = (webhookId) =>
    answer(() => intactOrNull('webhook', this.#reads.webhook.get({ id: webhookId })));

  delivery: WebhookReader['delivery'] = (deliveryId) =>
    answer(() => intactOrNull('delivery', this.#reads.delivery.get({ id: deliveryId })));

  deliveries: WebhookReader['deliveries'] = (filter, page) =>
    answer(() =>
      runNow(pageOf(lists.deliveries(tables, filter), page, this.#onDamage, this.#lists.deliveries)),
    );

  unchecked: WebhookReader['unchecked'] = (limit) =>
    answer(() => this.#reads.unchecked.all({ rowsMax: limit }).map((row) => row.deliveryId));

  damaged: WebhookReader['damaged'] = () =>
    answer(() =>
      this.#db
        .select(rows.webhookColumns)
        .from(webhooks)
        .all()
        .flatMap((row) => (damageOf('webhook', row) === null ? [] : [row.webhookId])),
    );

  waitingOrigins: WebhookReader['waitingOrigins'] = () =>
    answer(() =>
      this.#db
        .all<{ origin: string; due_at: unknown }>(waitingOrigins)
        .map(({ origin, due_at: dueAt }) => ({ origin, dueAt: isTime(dueAt) ? dueAt : 0 })),
    );

  dueAt: WebhookReader['dueAt'] = (origin, now, limit) =>
    answer(() => {
      const due = this.#reads.due.all({ id: origin, now, rowsMax: limit });
      return due.length === limit
        ? due
        : [...due, ...this.#reads.dueAtNoTime.all({ id: origin, rowsMax: limit - due.length })];
    });

  expired: WebhookReader['expired'] = (origin, now, limit) =>
    answer(() => this.#reads.expired.all({ id: origin, now, rowsMax: limit }));

  destination: WebhookReader['destination'] = (origin) =>
    answer(() => intactOrNull('destination', this.#reads.destination.get({ id: origin })));

  outdated: WebhookReader['outdated'] = (before, keptMax, limit) =>
    answer(() =>
      this.#db.all<{ id: string }>(outdatedDeliveries(before, keptMax, limit)).map((row) => row.id),
    );
}
