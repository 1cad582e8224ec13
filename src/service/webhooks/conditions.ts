// Whether a version is where a document begins to match. Told from the history alone, version against the one before:
// nothing has to be remembered, and whoever asks again after a crash gets the same answer.
import { LRUCache } from 'lru-cache';
import { RecordDamagedError } from '../../domain/damage/damage.js';
import type { JsonObject } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import type { WebhookCondition, WebhookDelivery } from '../../domain/records/records.js';
import type { Checked } from '../../domain/webhooks/deliver.js';
import type { SchemaEngine } from '../../ports/schema-engine.js';
import { documentBytes } from '../states/document-text.js';

interface Parts {
  readonly documents: { past(stateId: string, version: number): Promise<JsonObject | null> };
  readonly engine: SchemaEngine;
  readonly limits: Limits;
}

/** Holds, does not, or cannot be told for this reason; `faulty` where it is the condition's own. */
type Truth = boolean | { readonly reason: string; readonly faulty: boolean };

export class Conditions {
  /** By condition, state and version: the version before was looked at a moment ago, most often. */
  readonly #known: LRUCache<string, Truth>;

  constructor(private readonly parts: Parts) {
    this.#known = new LRUCache({ max: parts.limits.webhookTruthsMax });
  }

  /** @returns Whether the condition holds with the delivery's version and did not with the one before. */
  async check(condition: WebhookCondition, delivery: WebhookDelivery): Promise<Checked> {
    const { stateId, version } = delivery;
    if (stateId === null || version === null) return { began: true };
    const now = await this.#holds(condition, stateId, version);
    if (typeof now === 'object') return { began: null, ...now };
    if (!now) return { began: false };
    const before = await this.#holds(condition, stateId, version - 1);
    // Told once too often rather than never.
    return { began: before !== true };
  }

  async #holds(condition: WebhookCondition, stateId: string, version: number): Promise<Truth> {
    // Before its first version there was nothing to match.
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
      const found = await this.parts.engine.validate(admitted, document, documentBytes(document));
      if (found.ok) return found.value.length === 0;
      const faulty = found.refusal.members['reason'] === 'validator';
      return { reason: `The condition could not be checked: ${found.refusal.detail}`, faulty };
    } catch (error) {
      if (!(error instanceof RecordDamagedError)) throw error;
      // A schema that was let in by an older version, or changed in the database, and that cannot be compiled.
      return { reason: `The condition of the webhook ${error.damage.what}.`, faulty: true };
    }
  }
}
