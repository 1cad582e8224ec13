// What a decision needs besides its records: time, limits, ids, the document, and the contract results.
import type { Violation } from '../errors.js';
import type { JsonObject } from '../json/json.js';
import type { Limits } from '../limits.js';
import type { Webhook } from '../records/records.js';
import type { SchemaAnswers } from '../schemas/example.js';
import type { Once } from './idempotency.js';

/** The state of the tree at the time when the decision was prepared. */
export interface DocumentView {
  readonly stateId: string;
  readonly version: number;
  readonly document: JsonObject;
  /** The document as JSON text. */
  readonly text: string;
  readonly schema: JsonObject;
  readonly schemaName: string;
  readonly schemaHash: string;
}

/** The result of validating the document of a `DocumentView` against a contract. */
export interface ContractResult {
  /** Empty if the contract holds. */
  readonly violations: readonly Violation[];
  /** Name of the session that last wrote at the contract's location, if that is another session. */
  readonly brokenBy: string | null;
}

/** What a rule needs besides the records. Everything that is not pure enters here. */
export interface DecisionContext extends SchemaAnswers {
  readonly now: number;
  readonly limits: Limits;
  readonly newId: (prefix: string) => string;
  /** The tree's document; `null` if the tree has no state. */
  readonly document: DocumentView | null;
  /** Why the tree's document is not available, if its history is damaged; `document` is `null` then. */
  readonly documentDamage?: string | undefined;
  /** Contract results, by `verdictKey`. */
  readonly contractResults: ReadonlyMap<string, ContractResult>;
  /** The webhooks to consider, at the moment of the decision. */
  readonly webhooks: () => readonly Webhook[];
  /** Set if the decision belongs to a request with an idempotency key, so that it is made only once. */
  readonly once?: Once | undefined;
}
