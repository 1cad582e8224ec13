// What the service reads of webhooks and their deliveries; part of what a store is (see store.ts).
import type {
  DeliveryStatus,
  Webhook,
  WebhookDelivery,
  WebhookDestination,
} from '../domain/records/records.js';
import type { Page, PageRequest } from './store.js';

/** A delivery that is due, as much of it as is needed to take it. */
export interface DueDelivery {
  readonly deliveryId: string;
  readonly callbackId: string | null;
  readonly rootSessionId: string;
}

export interface WebhookReader {
  /** Oldest first. */
  list(filter: { rootSessionId?: string }, page: PageRequest): Promise<Page<Webhook>>;
  get(webhookId: string): Promise<Webhook | null>;
  delivery(deliveryId: string): Promise<WebhookDelivery | null>;
  /** Newest first. */
  deliveries(
    filter: { webhookId: string; status?: DeliveryStatus },
    page: PageRequest,
  ): Promise<Page<WebhookDelivery>>;
  /** Ids of webhooks whose record is damaged: lists leave them out. */
  damaged(): Promise<readonly string[]>;
  /** Ids of deliveries that wait for their condition, oldest first. */
  unchecked(limit: number): Promise<readonly string[]>;
  /** Each origin that something is to be sent to, with when the first of it is due. */
  waitingOrigins(): Promise<readonly { readonly origin: string; readonly dueAt: number }[]>;
  /** What is due at one origin, most overdue first. */
  dueAt(origin: string, now: number, limit: number): Promise<readonly DueDelivery[]>;
  /** `null` where the origin has never failed. */
  destination(origin: string): Promise<WebhookDestination | null>;
  /** Ids of deliveries that ended before a time, or are not among the `keptMax` that ended last; oldest first. */
  outdated(before: number, keptMax: number, limit: number): Promise<readonly string[]>;
}
