// What a decision needs besides its records: time, limits, ids, the document, and the contract results.
import type { Violation } from '../errors.js';
import type { JsonObject } from '../json/json.js';
import type { SigningKeys } from '../evidence/keys.js';
import type { Limits } from '../limits.js';
import type { Completion, StateHead, Webhook } from '../records/records.js';
import type { SchemaAnswers } from './schema-answers.js';
import type { IdempotencyTerms } from './idempotency.js';

/** The decision was prepared on records that have changed, or lacks an input: prepare it again. */
export const STALE = Symbol('stale');

/** A version of the tree's state. */
export interface DocumentView {
  readonly stateId: string;
  readonly version: number;
  readonly document: JsonObject;
  /** The document as JSON text. It may be computed when it is first read. */
  readonly text: string;
  readonly schema: JsonObject;
  readonly schemaName: string;
  readonly schemaHash: string;
}

/** What a rule needs besides the records. Everything that is not pure enters here. */
export interface DecisionContext extends SchemaAnswers {
  readonly now: number;
  readonly limits: Limits;
  readonly newId: (prefix: string) => string;
  /** Sign what the decision adds to a history; `null` if histories are not signed. */
  readonly keys: SigningKeys | null;
  /** The version of a state that its head names; `undefined` if it is not in memory. */
  readonly documentOf: (head: StateHead) => DocumentView | undefined;
  /** Why the tree's document is not available, if its history is damaged. */
  readonly documentDamage?: string | undefined;
  /** The result of a completion's contract on a document; `undefined` if it is not known yet. */
  readonly contractViolationsOf: (
    completion: Completion,
    view: DocumentView,
  ) => readonly Violation[] | undefined;
  /** The webhooks to consider, at the moment of the decision. */
  readonly webhooks: () => readonly Webhook[];
  /** Set if the decision belongs to a request with an idempotency key, so that it is made only once. */
  readonly once?: IdempotencyTerms | undefined;
}
