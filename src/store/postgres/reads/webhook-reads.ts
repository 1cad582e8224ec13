// Reads webhooks and deliveries outside decisions.
import { and, asc, eq, sql, type SQL } from 'drizzle-orm';
import type { WebhookReader } from '../../../ports/storage/webhook-store.js';
import type { Connection, Connections } from '../connection/connections.js';
import { connect, first, perConnection, type Db } from '../connection/db.js';
import { pageOf } from '../../lists/pages.js';
import { run } from '../../steps.js';
import { listReads } from './lists.js';
import * as rows from '../tables/rows.js';
import { isTime, LAST_MS } from '../../rows/values.js';
import { outdatedDeliveries, waitingOrigins } from '../../deliveries.js';
import * as lists from '../../lists/lists.js';
import { damageOf, intactOrNull, type OnDamage } from '../../rows/intact-rows.js';
import * as tables from '../tables/tables.js';

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
      .limit(sql.placeholder('rowsMax'))
      // Another coordinator is probably taking it; if not, the next look finds it.
      .for('update', { skipLocked: true });
  return {
    webhook: db
      .select(rows.webhookColumns)
      .from(webhooks)
      .where(eq(webhooks.webhookId, id))
      .prepare('webhooks_webhook'),
    delivery: selectDeliveries().where(eq(deliveries.deliveryId, id)).prepare('webhooks_delivery'),
    unchecked: db
      .select({ deliveryId: deliveries.deliveryId })
      .from(deliveries)
      .where(eq(deliveries.status, 'checking'))
      .orderBy(asc(deliveries.seq))
      .limit(sql.placeholder('rowsMax'))
      .prepare('webhooks_unchecked'),
    due: selectDue(untilNow).prepare('webhooks_due'),
    expired: selectDue(untilNow, sql`${deliveries.expiresAt} ${untilNow}`).prepare('webhooks_expired'),
    /** A delivery whose time is invalid would never become due. */
    dueAtNoTime: selectDue(sql`> ${LAST_MS}`).prepare('webhooks_dueAtNoTime'),
    destination: db
      .select(rows.destinationColumns)
      .from(destinations)
      .where(eq(destinations.origin, id))
      .prepare('webhooks_destination'),
  };
}

/** The prepared reads of one connection. */
function prepareAll(connection: Connection) {
  const db = connect(connection);
  return { db, one: prepareReads(db) };
}

type Prepared = ReturnType<typeof prepareAll>;

export class WebhookReads implements WebhookReader {
  readonly #connections: Connections;
  readonly #onDamage: OnDamage;
  readonly #of = perConnection(prepareAll);

  constructor(connections: Connections, onDamage: OnDamage) {
    this.#connections = connections;
    this.#onDamage = onDamage;
  }

  #read<T>(read: (prepared: Prepared) => Promise<T>): Promise<T> {
    return this.#connections.use((connection) => read(this.#of(connection)));
  }

  list: WebhookReader['list'] = (filter, page) =>
    this.#read(({ db }) =>
      run(pageOf(lists.webhooks(tables, filter), page, this.#onDamage, listReads(db).webhooks)),
    );

  get: WebhookReader['get'] = (webhookId) =>
    this.#read(async ({ one }) =>
      intactOrNull('webhook', await first(one.webhook.execute({ id: webhookId }))),
    );

  delivery: WebhookReader['delivery'] = (deliveryId) =>
    this.#read(async ({ one }) =>
      intactOrNull('delivery', await first(one.delivery.execute({ id: deliveryId }))),
    );

  deliveries: WebhookReader['deliveries'] = (filter, page) =>
    this.#read(({ db }) =>
      run(pageOf(lists.deliveries(tables, filter), page, this.#onDamage, listReads(db).deliveries)),
    );

  unchecked: WebhookReader['unchecked'] = (limit) =>
    this.#read(async ({ one }) =>
      (await one.unchecked.execute({ rowsMax: limit })).map((row) => row.deliveryId),
    );

  damaged: WebhookReader['damaged'] = () =>
    this.#read(async ({ db }) =>
      (await db.select(rows.webhookColumns).from(webhooks)).flatMap((row) =>
        damageOf('webhook', row) === null ? [] : [row.webhookId],
      ),
    );

  waitingOrigins: WebhookReader['waitingOrigins'] = () =>
    this.#read(async ({ db }) => {
      const { rows: found } = await db.execute<{ origin: string; due_at: string }>(waitingOrigins);
      return found.map((row) => {
        const dueAt = Number(row.due_at);
        return { origin: row.origin, dueAt: isTime(dueAt) ? dueAt : 0 };
      });
    });

  dueAt: WebhookReader['dueAt'] = (origin, now, limit) =>
    this.#read(async ({ one }) => {
      const due = await one.due.execute({ id: origin, now, rowsMax: limit });
      return due.length === limit
        ? due
        : [...due, ...(await one.dueAtNoTime.execute({ id: origin, rowsMax: limit - due.length }))];
    });

  expired: WebhookReader['expired'] = (origin, now, limit) =>
    this.#read(({ one }) => one.expired.execute({ id: origin, now, rowsMax: limit }));

  destination: WebhookReader['destination'] = (origin) =>
    this.#read(async ({ one }) =>
      intactOrNull('destination', await first(one.destination.execute({ id: origin }))),
    );

  outdated: WebhookReader['outdated'] = (before, keptMax, limit) =>
    this.#read(async ({ db }) => {
      const { rows: found } = await db.execute<{ id: string }>(outdatedDeliveries(before, keptMax, limit));
      return found.map((row) => row.id);
    });
}
