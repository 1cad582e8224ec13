// What a decision is made with beside its records: the time, limits, ids, the document and what contracts say of it.
import type { Violation } from '../errors.js';
import type { JsonObject } from '../json/json.js';
import type { Limits } from '../limits.js';
import type { Webhook } from '../records/records.js';
import type { SchemaAnswers } from '../schemas/example.js';
import type { Once } from './idempotency.js';

/** The state of the tree as it was when the decision was prepared. */
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

/** What a contract came to on the document of a `DocumentView`. */
export interface Verdict {
  /** None where the contract holds. */
  readonly violations: readonly Violation[];
  /** Name of the session that wrote last to the contract's place, where it was another one. */
  readonly brokenBy: string | null;
}

/** What a rule needs beside the records. Everything that is not pure comes in here. */
export interface DecisionContext extends SchemaAnswers {
  readonly now: number;
  readonly limits: Limits;
  readonly newId: (prefix: string) => string;
  /** The tree's document; `null` where the tree has no state. */
  readonly document: DocumentView | null;
  /** Why the tree's document cannot be had, where its history is damaged; `document` is `null` then. */
  readonly documentDamage?: string | undefined;
  /** By `verdictKey`. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
  /** The webhooks that are to be told, as of the moment when the decision is made. */
  readonly webhooks: () => readonly Webhook[];
  /** The decision belongs to a request with an idempotency key: it is made once. */
  readonly once?: Once | undefined;
}
