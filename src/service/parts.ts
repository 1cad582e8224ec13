// Creates the parts of the service and gives each what it uses. No rules and no use cases.
import { setMaxListeners } from 'node:events';
import { semaphoreOf } from '../domain/semaphore.js';
import { TimeSlices } from '../lib/time-slices.js';
import { SessionTokens } from './access/session-tokens.js';
import { AgentRegistry } from './agents/agent-registry.js';
import { Contracts } from './completion/contracts.js';
import { OpenContracts } from './completion/open-contracts.js';
import { DocumentTexts } from './documents/document-texts.js';
import { Documents } from './documents/documents.js';
import { KeyVersions } from './documents/key-versions.js';
import { StateSizes } from './documents/state-sizes.js';
import { StopHookStates } from './hooks/stop-hook-state.js';
import { Wakers } from './hooks/wakers.js';
import { KnownRecords } from './known-records.js';
import { RecentActivity } from './operations/activity.js';
import { DamageLog } from './operations/damage-log.js';
import { SentStopOrders } from './runs/sent-stop-orders.js';
import { InFlight } from './scheduling/in-flight.js';
import { Notifier } from './scheduling/notifier.js';
import { StorageOutage } from './scheduling/storage-outage.js';
import { guardedEngine } from './schemas/guarded-engine.js';
import { SchemaCache } from './schemas/schema-cache.js';
import type { ServiceOptions } from './service-options.js';
import { SignsOfLife } from './sessions/signs-of-life.js';
import { StateFactsCache } from './states/state-facts.js';
import { TimeTexts } from './states/time-texts.js';
import { FollowerGroups } from './streams/follower-groups.js';
import { StreamPages } from './streams/stream-pages.js';
import { ReceiptOwners } from './transactions/receipt-owners.js';
import { TreeTransactions } from './transactions/tree-transactions.js';
import { AddressPolicy } from './webhooks/address-policy.js';
import { WebhookList } from './webhooks/webhook-list.js';
import { WorkRecorder } from './workflow/work-recorder.js';
import { ArchivedInvocations } from './documents/archived-invocations.js';
import { ReadCursors } from './reads/read-cursors.js';
import { StateWriter } from './writes/state-writer.js';

/**
 * Writes that wait together are prepared in longer slices, because writes that are ready together
 * are committed together.
 */
const WRITE_SLICE_MS = 50;

/** What every part may use: the ports, the limits, and whether callers need tokens. */
function basics(options: ServiceOptions) {
  const { store, clock, ids, limits, logger, auth } = options;
  const damageLog = new DamageLog(logger, limits.troubledRecordFactsMax);
  return { store, clock, ids, limits, logger, auth, damageLog, engine: guardedEngine(options.engine) };
}

/** What is read from the store once and used again. */
function caches(base: ReturnType<typeof basics>, options: ServiceOptions) {
  const { store, clock, engine, limits, logger } = base;
  const sizes = new StateSizes(limits, logger);
  const texts = new DocumentTexts();
  const slices = new TimeSlices();
  const documents = new Documents(store, limits.stateCacheBytesMax, sizes, texts);
  const contracts = new Contracts(engine, texts);
  return {
    sizes,
    texts,
    slices,
    documents,
    contracts,
    schemas: new SchemaCache(store, limits.compiledSchemasMax),
    keyVersions: new KeyVersions({ store, documents, limits }),
    openContracts: new OpenContracts(store, contracts, limits.stateFactsMax, slices),
    agents: new AgentRegistry(options.agents ?? null, engine, limits),
    archived: new ArchivedInvocations({ store, clock, limits }),
    webhooks: new WebhookList(store, limits),
    facts: new StateFactsCache(store, limits.stateFactsMax),
    times: new TimeTexts(),
    readCursors: new ReadCursors({ store, limits, logger }),
  };
}

/** What decides and writes. */
function writing(parts: ReturnType<typeof basics> & ReturnType<typeof caches>, options: ServiceOptions) {
  const outage = new StorageOutage(parts);
  const transactions = new TreeTransactions({
    ...parts,
    onFailed: outage.failed,
    keys: options.keys ?? null,
    recorder: () => new WorkRecorder(parts),
  });
  const known = new KnownRecords(parts.store, transactions);
  const writer = new StateWriter({ ...parts, known, transactions, slices: new TimeSlices(WRITE_SLICE_MS) });
  return { transactions, known, writer, outage };
}

/** What callers wait for, and how many of them may wait at once. */
function waiting({ limits }: ServiceOptions, closing: AbortSignal) {
  const notifier = new Notifier();
  return {
    notifier,
    stateWaits: new InFlight(),
    conditionWaits: semaphoreOf(
      limits,
      'conditionWaitsMax',
      'conditionWaitsPerCallerMax',
      'conditionWaitsPerTreeMax',
    ),
    followerGroups: new FollowerGroups(closing),
    openStreams: semaphoreOf(limits, 'streamsMax', 'streamsPerCallerMax', 'streamsPerTreeMax'),
    streamPages: new StreamPages(limits.streamPagesBytesMax, () => notifier.commits),
  };
}

/** All parts that use cases and background work use. */
export type Parts = Awaited<ReturnType<typeof createParts>>;

/** @param closing - Aborted when the service shuts down. */
export async function createParts(options: ServiceOptions, closing: AbortSignal) {
  setMaxListeners(0, closing); // every webhook send in progress adds a listener
  const { store, clock, ids, limits } = options;
  const secret = options.tokenSecret ?? (await store.setting('session_token_secret', () => ids.newSecret()));
  const base = basics(options);
  const cached = { ...base, ...caches(base, options) };
  const written = writing(cached, options);
  return {
    ...cached,
    ...waiting(options, closing),
    ...written,
    closing,
    workflowSchema: options.workflowSchema,
    tokensOutliveRuns: options.tokensOutliveRuns ?? false,
    statePrompts: options.statePrompts ?? { context: true, summary: true },
    activity: new RecentActivity(clock),
    /** The idempotency record of the present request; a request without an idempotency key has none. */
    receipts: null,
    receiptOwners: new ReceiptOwners(limits.receiptOwnerFactsMax),
    tokens: new SessionTokens(secret, clock, limits.sessionTokenMs),
    stopHookStates: new StopHookStates(limits.hookFactsMax),
    wakers: new Wakers(limits.hookFactsMax),
    signs: new SignsOfLife({ ...base, transactions: written.transactions }),
    sentStopOrders: new SentStopOrders(limits.stopOrdersSentMax),
    webhookTargets: new AddressPolicy(options.webhooks?.allow ?? []),
  };
}
