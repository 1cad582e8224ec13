// What every use case has at hand.
import type { Actor } from '../domain/actor.js';
import type { Limits } from '../domain/limits.js';
import type { Clock, IdSource, Logger } from '../ports/runtime.js';
import type { Slices } from '../ports/slices.js';
import type { SchemaEngine } from '../ports/schema-engine.js';
import type { Store } from '../ports/store.js';
import type { AgentBook } from './agents/agent-book.js';
import type { Contracts } from './contracts.js';
import type { Documents } from './documents.js';
import type { HookTurns } from './hooks/turns.js';
import type { Wakers } from './hooks/wakers.js';
import type { KeyVersions } from './keys/key-versions.js';
import type { Notifier } from './notifier.js';
import type { OpenContracts } from './open-contracts.js';
import type { OrdersTold } from './orders-told.js';
import type { Places } from '../domain/places.js';
import type { ReadMarks } from './read-marks.js';
import type { ReceiptBook } from './receipt-book.js';
import type { ReceiptOwners } from './receipt-owners.js';
import type { SchemaCache } from './schema-cache.js';
import type { SessionTokens } from './session-tokens.js';
import type { SignsOfLife } from './signs-of-life.js';
import type { StateFactsCache } from './state-facts.js';
import type { StateWriter } from './state-writer.js';
import type { StreamPages } from './stream-pages.js';
import type { Trees } from './trees.js';
import type { AddressPolicy } from './webhooks/address-policy.js';

export interface ServiceContext {
  readonly store: Store;
  readonly engine: SchemaEngine;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly limits: Limits;
  readonly logger: Logger;
  /** Without `--auth` a caller on the loopback is who its headers say. */
  readonly auth: boolean;
  readonly notifier: Notifier;
  readonly documents: Documents;
  readonly contracts: Contracts;
  readonly schemas: SchemaCache;
  readonly facts: StateFactsCache;
  readonly openContracts: OpenContracts;
  readonly trees: Trees;
  /** Of a request with an idempotency key; `null` for all others. */
  readonly receipts: ReceiptBook | null;
  readonly receiptOwners: ReceiptOwners;
  readonly writer: StateWriter;
  readonly readMarks: ReadMarks;
  readonly keyVersions: KeyVersions;
  readonly agents: AgentBook;
  readonly tokens: SessionTokens;
  /** The token of a run counts for its whole time, not only until its work is done. */
  readonly tokensOutliveRuns: boolean;
  readonly hookTurns: HookTurns;
  readonly wakers: Wakers;
  readonly signs: SignsOfLife;
  readonly ordersTold: OrdersTold;
  readonly conditionWaits: Places;
  /** Where webhooks may go. */
  readonly webhookTargets: AddressPolicy;
  readonly openStreams: Places;
  readonly streamPages: StreamPages;
  /** What is long and not urgent waits its turn here. */
  readonly slices: Slices;
  /** Aborted when the service shuts down: waits end early. */
  readonly closing: AbortSignal;
}

/** A use case's view: the service and who is asking. */
export interface Caller {
  readonly context: ServiceContext;
  readonly actor: Actor;
}
