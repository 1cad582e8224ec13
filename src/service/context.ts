// The dependencies that use cases share.
import type { Actor } from '../domain/access/actor.js';
import type { Limits } from '../domain/limits.js';
import type { Clock, IdSource, Logger } from '../ports/runtime.js';
import type { Slices } from '../ports/slices.js';
import type { SchemaEngine } from '../ports/schema-engine.js';
import type { Store } from '../ports/store.js';
import type { AgentRegistry } from './agents/agent-registry.js';
import type { Contracts } from './completion/contracts.js';
import type { Documents } from './states/documents.js';
import type { StopHookStates } from './hooks/stop-hook-state.js';
import type { Wakers } from './hooks/wakers.js';
import type { KeyVersions } from './keys/key-versions.js';
import type { InFlight } from './scheduling/in-flight.js';
import type { Notifier } from './scheduling/notifier.js';
import type { OpenContracts } from './completion/open-contracts.js';
import type { OrdersTold } from './runs/orders-told.js';
import type { Semaphore } from '../domain/semaphore.js';
import type { ReadCursors } from './writes/read-cursors.js';
import type { IdempotencyStore } from './transactions/idempotency-store.js';
import type { ReceiptOwners } from './transactions/receipt-owners.js';
import type { SchemaCache } from './schemas/schema-cache.js';
import type { SessionTokens } from './access/session-tokens.js';
import type { SignsOfLife } from './sessions/signs-of-life.js';
import type { StateFactsCache } from './states/state-facts.js';
import type { StateWriter } from './writes/state-writer.js';
import type { StreamPages } from './streams/stream-pages.js';
import type { TreeTransactions } from './transactions/tree-transactions.js';
import type { AddressPolicy } from './webhooks/address-policy.js';
import type { DocumentTexts } from './states/document-texts.js';

export interface ServiceContext {
  readonly store: Store;
  readonly engine: SchemaEngine;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly limits: Limits;
  readonly logger: Logger;
  /** Whether requests need a token. Without it, headers identify the session of a caller on the loopback address. */
  readonly auth: boolean;
  readonly notifier: Notifier;
  readonly documents: Documents;
  readonly texts: DocumentTexts;
  readonly contracts: Contracts;
  readonly schemas: SchemaCache;
  readonly facts: StateFactsCache;
  readonly openContracts: OpenContracts;
  readonly transactions: TreeTransactions;
  /** The idempotency record of the present request; `null` if the request has no idempotency key. */
  readonly receipts: IdempotencyStore | null;
  readonly receiptOwners: ReceiptOwners;
  readonly writer: StateWriter;
  readonly readCursors: ReadCursors;
  readonly keyVersions: KeyVersions;
  readonly agents: AgentRegistry;
  readonly tokens: SessionTokens;
  /** True if the token of a run is valid for its whole lifetime, not only until the work has ended. */
  readonly tokensOutliveRuns: boolean;
  readonly stopHookStates: StopHookStates;
  readonly wakers: Wakers;
  readonly signs: SignsOfLife;
  readonly ordersTold: OrdersTold;
  readonly conditionWaits: Semaphore;
  /** Calls that wait for a state. */
  readonly stateWaits: InFlight;
  /** The addresses that webhooks may connect to. */
  readonly webhookTargets: AddressPolicy;
  readonly openStreams: Semaphore;
  readonly streamPages: StreamPages;
  /** Schedules long work that is not urgent. */
  readonly slices: Slices;
  /** Aborted when the service shuts down, so that waits end early. */
  readonly closing: AbortSignal;
}

/** The service context and the actor of a request. */
export interface Caller {
  readonly context: ServiceContext;
  readonly actor: Actor;
}
