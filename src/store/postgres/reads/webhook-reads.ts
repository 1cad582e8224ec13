// Reads webhooks and deliveries outside decisions.
import { and, asc, eq, sql, type SQL } from 'drizzle-orm';
import type { Page, PageRequest } from '../../../ports/storage/page.js';
import type { DueDelivery, WebhookReader } from '../../../ports/storage/webhook-store.js';
import type { Webhook, WebhookDelivery, WebhookDestination } from '../../../domain/records/records.js';
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

function prepareReads(db: Db) {
  const selectDeliveries = () => db.select(rows.deliveryColumns).from(deliveries);
  const selectDue = (when: SQL) =>
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
        ),
      )
      .orderBy(asc(deliveries.dueAt), asc(deliveries.seq))
      .limit(sql.placeholder('rowsMax'));
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
    due: selectDue(sql`<= ${sql.placeholder('now')}`).prepare('webhooks_due'),
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

  list = (filter: Parameters<WebhookReader['list']>[0], page: PageRequest): Promise<Page<Webhook>> =>
    this.#read(({ db }) =>
      run(pageOf(lists.webhooks(tables, filter), page, this.#onDamage, listReads(db).webhooks)),
    );

  get = (webhookId: string): Promise<Webhook | null> =>
    this.#read(async ({ one }) =>
      intactOrNull('webhook', await first(one.webhook.execute({ id: webhookId }))),
    );

  delivery = (deliveryId: string): Promise<WebhookDelivery | null> =>
    this.#read(async ({ one }) =>
      intactOrNull('delivery', await first(one.delivery.execute({ id: deliveryId }))),
    );

  deliveries = (
    filter: Parameters<WebhookReader['deliveries']>[0],
    page: PageRequest,
  ): Promise<Page<WebhookDelivery>> =>
    this.#read(({ db }) =>
      run(pageOf(lists.deliveries(tables, filter), page, this.#onDamage, listReads(db).deliveries)),
    );

  unchecked = (limit: number): Promise<readonly string[]> =>
    this.#read(async ({ one }) =>
      (await one.unchecked.execute({ rowsMax: limit })).map((row) => row.deliveryId),
    );

  damaged = (): Promise<readonly string[]> =>
    this.#read(async ({ db }) =>
      (await db.select(rows.webhookColumns).from(webhooks)).flatMap((row) =>
        damageOf('webhook', row) === null ? [] : [row.webhookId],
      ),
    );

  waitingOrigins = (): Promise<readonly { origin: string; dueAt: number }[]> =>
    this.#read(async ({ db }) => {
      const { rows: found } = await db.execute<{ origin: string; due_at: string }>(waitingOrigins);
      return found.map((row) => {
        const dueAt = Number(row.due_at);
        return { origin: row.origin, dueAt: isTime(dueAt) ? dueAt : 0 };
      });
    });

  dueAt = (origin: string, now: number, limit: number): Promise<readonly DueDelivery[]> =>
    this.#read(async ({ one }) => {
      const due = await one.due.execute({ id: origin, now, rowsMax: limit });
      return due.length === limit
        ? due
        : [...due, ...(await one.dueAtNoTime.execute({ id: origin, rowsMax: limit - due.length }))];
    });

  destination = (origin: string): Promise<WebhookDestination | null> =>
    this.#read(async ({ one }) =>
      intactOrNull('destination', await first(one.destination.execute({ id: origin }))),
    );

  outdated = (before: number, keptMax: number, limit: number): Promise<readonly string[]> =>
    this.#read(async ({ db }) => {
      const { rows: found } = await db.execute<{ id: string }>(outdatedDeliveries(before, keptMax, limit));
      return found.map((row) => row.id);
    });
}
