// Finds out whether a document begins to match a condition at a version. It compares the version with the one before,
// both from the history: it needs no memory of its own, and a repeated check after a crash gives the same answer.
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../lib/bounded-cache.js';
import { RecordDamagedError } from '../../domain/damage/damage.js';
import type { JsonObject } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import type { WebhookCondition, WebhookDelivery } from '../../domain/records/records.js';
import type { Checked } from '../../domain/webhooks/deliver.js';
import type { SchemaEngine } from '../../ports/schema-engine.js';
import { satisfies } from '../schemas/conditions.js';
import type { DocumentTexts } from '../documents/document-texts.js';

interface Parts {
  readonly documents: { past(stateId: string, version: number): Promise<JsonObject | null> };
  readonly texts: DocumentTexts;
  readonly engine: SchemaEngine;
  readonly limits: Limits;
}

/**
 * Whether the condition holds, or the reason why that is unknown. `faulty` is true if the cause is
 * the condition itself.
 */
type Truth = boolean | { readonly reason: string; readonly faulty: boolean };

export class Conditions {
  /** Results by condition, state and version. The version before was usually checked a moment ago. */
  readonly #known: LRUCache<string, Truth>;

  constructor(private readonly parts: Parts) {
    this.#known = boundedCache(parts.limits.webhookTruthsMax);
  }

  /** @returns Whether the condition holds at the delivery's version and did not hold at the one before. */
  async check(condition: WebhookCondition, delivery: WebhookDelivery): Promise<Checked> {
    const { stateId, version } = delivery;
    if (stateId === null || version === null) return { began: true };
    const now = await this.#holds(condition, stateId, version);
    if (typeof now === 'object') return { began: null, ...now };
    if (!now) return { began: false };
    const before = await this.#holds(condition, stateId, version - 1);
    // If the result for the version before is unknown, deliver: one message too many is better than none.
    return { began: before !== true };
  }

  /** Discards all results: the database may have another history now. */
  clear(): void {
    this.#known.clear();
  }

  async #holds(condition: WebhookCondition, stateId: string, version: number): Promise<Truth> {
    // There was no document before the first version.
    if (version < 1) return false;
    const key = `${condition.schemaHash} ${stateId} ${String(version)}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const truth = await this.#look(condition, stateId, version);
    this.#known.set(key, truth);
    return truth;
  }

  async #look({ schema, schemaHash }: WebhookCondition, stateId: string, version: number): Promise<Truth> {
    const document = await this.parts.documents.past(stateId, version);
    if (document === null) {
      const reason = `The condition could not be checked: version ${String(version)} of the state is not there any more.`;
      return { reason, faulty: false };
    }
    const admitted = { hash: schemaHash, schema };
    try {
      const bytes = this.parts.texts.bytes(document);
      const found = await satisfies(this.parts.engine, admitted, document, bytes);
      if (found.ok) return found.value;
      const faulty = found.failure.members['reason'] === 'validator';
      return { reason: `The condition could not be checked: ${found.failure.detail}`, faulty };
    } catch (error) {
      if (!(error instanceof RecordDamagedError)) throw error;
      // The schema cannot be compiled. An older release admitted it, or the database was changed.
      return { reason: `The condition of the webhook ${error.damage.what}.`, faulty: true };
    }
  }
}
