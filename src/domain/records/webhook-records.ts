// Stored records of webhooks and their deliveries: plain data, see records.ts.
import type { JsonObject } from '../json/json.js';

/** Events that a webhook can subscribe to. */
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

/** A subscription that sends committed events to a URL. */
export interface Webhook {
  readonly webhookId: string;
  readonly url: string;
  /** Scheme, host and port of the URL. Circuit breakers and connection limits apply per origin. */
  readonly origin: string;
  readonly events: readonly WebhookEventType[];
  /** Limits the webhook to one tree; `null` for all. Always set if `stateId` is set. */
  readonly rootSessionId: string | null;
  readonly stateId: string | null;
  /** The session that created it; `null` for an operator. */
  readonly ownerSessionId: string | null;
  /** Limits the webhook to states on a schema of this name. */
  readonly schemaName: string | null;
  /** Limits the webhook to versions with which the document begins to satisfy the condition. */
  readonly when: WebhookCondition | null;
  /** `whsec_` and the key in base64. Shown once, never logged. */
  readonly secret: string;
  readonly enabled: boolean;
  /** Why it is disabled. */
  readonly disabledReason: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly revision: number;
}

/**
 * checking: the service does not know yet whether the condition began to hold. pending: to be sent at `dueAt`.
 * sending: a sender has claimed it, until `dueAt`. delivered, dead: ended.
 */
export type DeliveryStatus = 'checking' | 'pending' | 'sending' | 'delivered' | 'dead';

/** One POST and its result. */
export interface DeliveryAttempt {
  readonly attempt: number;
  readonly at: number;
  readonly durationMs: number;
  /** HTTP status; `null` if no answer came. */
  readonly status: number | null;
  /** The error if no answer came. */
  readonly error: string | null;
  /** Beginning of the answer's body. */
  readonly response: string | null;
}

/** One message to one URL. Its body never changes. A callback is sent with a summary of the state beside it. */
export interface WebhookDelivery {
  readonly deliveryId: string;
  /** `null` for a callback, which goes to the URL of its parent. */
  readonly webhookId: string | null;
  readonly callbackId: string | null;
  readonly rootSessionId: string;
  readonly origin: string;
  readonly type: WebhookEventType | 'callback';
  readonly stateId: string | null;
  readonly version: number | null;
  readonly status: DeliveryStatus;
  /** Increased by every claim. A result with an older number comes from a sender whose claim has expired. */
  readonly attempt: number;
  /** Failures since it last became pending anew. The backoff grows with it. */
  readonly failures: number;
  /** The last attempts, oldest first, bounded in number. */
  readonly attempts: readonly DeliveryAttempt[];
  /** When its next timer fires; `null` while the condition is checked, and after the end. */
  readonly dueAt: number | null;
  /** No attempt begins after this time. */
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

/** The circuit breaker of an origin. There is no record for an origin that has never failed. */
export interface WebhookDestination {
  readonly origin: string;
  readonly status: BreakerStatus;
  /** Consecutive failures. */
  readonly failures: number;
  /** How often in a row the circuit opened. The pause grows with it. */
  readonly opens: number;
  /** open: no request before this time. half_open: the probe expires at this time. */
  readonly until: number | null;
  readonly updatedAt: number;
  readonly revision: number;
}
