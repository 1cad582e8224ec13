// What is kept of webhooks and of what is sent: plain data, see records.ts.
import type { JsonObject } from '../json/json.js';

/** What a webhook can be told of. */
export type WebhookEventType =
  | 'workflow_state_created'
  | 'workflow_state_updated'
  | 'workflow_state_deleted'
  | 'session_updated'
  | 'run_updated'
  | 'completion_updated'
  | 'callback_updated';

/** A condition on the document: an admitted schema. */
export interface WebhookCondition {
  readonly schema: JsonObject;
  /** Hash of the admitted schema. */
  readonly schemaHash: string;
}

/** A standing order to tell a URL of what is committed. */
export interface Webhook {
  readonly webhookId: string;
  readonly url: string;
  /** Scheme, host and port of the URL: what a circuit breaker and a share of the connections belong to. */
  readonly origin: string;
  readonly events: readonly WebhookEventType[];
  /** Only this tree; `null` for all. Always there where `stateId` is. */
  readonly rootSessionId: string | null;
  readonly stateId: string | null;
  /** The session that asked for it; `null` for an operator. */
  readonly ownerSessionId: string | null;
  /** Only states that are on a schema of this name. */
  readonly schemaName: string | null;
  /** Told of a version only where the document begins to match with it. */
  readonly when: WebhookCondition | null;
  /** `whsec_` and the key in base64. Never shown again, never logged. */
  readonly secret: string;
  readonly enabled: boolean;
  /** Why it is disabled. */
  readonly disabledReason: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly revision: number;
}

/**
 * checking: it is not known yet whether the condition began to hold. pending: to be sent at `dueAt`. sending: somebody
 * is at it, until `dueAt`. delivered, dead: ended.
 */
export type DeliveryStatus = 'checking' | 'pending' | 'sending' | 'delivered' | 'dead';

/** One POST and what came of it. */
export interface DeliveryAttempt {
  readonly attempt: number;
  readonly at: number;
  readonly durationMs: number;
  /** HTTP status; `null` where no answer came. */
  readonly status: number | null;
  /** What went wrong where no answer came. */
  readonly error: string | null;
  /** Beginning of the answer's body. */
  readonly response: string | null;
}

/** One message to one URL. Its body never changes, so every attempt says the same. */
export interface WebhookDelivery {
  readonly deliveryId: string;
  /** `null` for a callback, which goes to its parent's own URL. */
  readonly webhookId: string | null;
  readonly callbackId: string | null;
  readonly rootSessionId: string;
  readonly origin: string;
  readonly type: WebhookEventType | 'callback';
  readonly stateId: string | null;
  readonly version: number | null;
  readonly status: DeliveryStatus;
  /** Raised by every claim: a result that comes with an older one is of somebody who was given up. */
  readonly attempt: number;
  /** Failures since it was last put on its way; what the backoff grows with. */
  readonly failures: number;
  /** The last attempts, oldest first, bounded in number. */
  readonly attempts: readonly DeliveryAttempt[];
  /** When time moves it on; `null` while it is checked, and once it has ended. */
  readonly dueAt: number | null;
  /** No attempt is begun after. */
  readonly expiresAt: number;
  /** Why it is dead. */
  readonly reason: string | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly revision: number;
  /** JSON text. */
  readonly body: string;
}

export type BreakerStatus = 'closed' | 'open' | 'half_open';

/** How an origin has been answering: its circuit breaker. Not there while it has never failed. */
export interface WebhookDestination {
  readonly origin: string;
  readonly status: BreakerStatus;
  /** Failures in a row. */
  readonly failures: number;
  /** Times in a row that it was opened: the rest grows with it. */
  readonly opens: number;
  /** open: no request before. half_open: the probe is given up then. */
  readonly until: number | null;
  readonly updatedAt: number;
  readonly revision: number;
}
