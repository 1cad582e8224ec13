// Webhooks and their deliveries, as the service reads them. Part of the store's interface (see store.ts).
import type {
  DeliveryStatus,
  Webhook,
  WebhookDelivery,
  WebhookDestination,
} from '../../domain/records/records.js';
import type { Page, PageRequest } from './page.js';

/** A due delivery, reduced to the columns needed to claim it. */
export interface DueDelivery {
  readonly deliveryId: string;
  readonly callbackId: string | null;
  readonly rootSessionId: string;
}

export interface WebhookReader {
  /** Oldest first. */
  list(filter: { rootSessionId?: string | undefined }, page: PageRequest): Promise<Page<Webhook>>;
  get(webhookId: string): Promise<Webhook | null>;
  delivery(deliveryId: string): Promise<WebhookDelivery | null>;
  /** Newest first. */
  deliveries(
    filter: { webhookId: string; status?: DeliveryStatus | undefined },
    page: PageRequest,
  ): Promise<Page<WebhookDelivery>>;
  /** Ids of webhooks with a damaged record. Lists leave these out. */
  damaged(): Promise<readonly string[]>;
  /** Ids of deliveries whose condition is not checked yet, oldest first. */
  unchecked(limit: number): Promise<readonly string[]>;
  /** Each origin with waiting deliveries, and the time at which its first one is due. */
  waitingOrigins(): Promise<readonly { readonly origin: string; readonly dueAt: number }[]>;
  /** Due deliveries of one origin, most overdue first. */
  dueAt(origin: string, now: number, limit: number): Promise<readonly DueDelivery[]>;
  /** Those of them whose time is over. */
  expired(origin: string, now: number, limit: number): Promise<readonly DueDelivery[]>;
  /** `null` if the origin has never failed. */
  destination(origin: string): Promise<WebhookDestination | null>;
  /** Ids of deliveries that ended before a time, or are not among the last `keptMax` that ended. Oldest first. */
  outdated(before: number, keptMax: number, limit: number): Promise<readonly string[]>;
}
