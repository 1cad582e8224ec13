// Starts the service on a store: creates all its parts and connects them. No rules and no use cases.
import { OPEN_LOOPBACK } from '../domain/access/actor.js';
import { setMaxListeners } from 'node:events';
import type { SigningKeys } from '../domain/evidence/keys.js';
import type { JsonObject } from '../domain/json/json.js';
import type { Limits } from '../domain/limits.js';
import type { TimeAway } from '../domain/scheduling/time-away.js';
import type { Host } from '../ports/host.js';
import { TimeSlices } from '../ports/time-slices.js';
import type { Clock, IdSource, Logger } from '../ports/runtime.js';
import type { AgentSource } from '../ports/agent-files.js';
import type { SchemaEngine } from '../ports/schema-engine.js';
import type { Store } from '../ports/storage/store.js';
import { AgentRegistry } from './agents/agent-registry.js';
import { RecentActivity } from './operations/activity.js';
import { DamageLog } from './operations/damage-log.js';
import { Contracts } from './completion/contracts.js';
import { Documents } from './documents/documents.js';
import { guardedEngine } from './schemas/guarded-engine.js';
import { StopHookStates } from './hooks/stop-hook-state.js';
import { Wakers } from './hooks/wakers.js';
import { identify } from './access/identity.js';
import { ArchivedInvocations } from './writes/archived-invocations.js';
import { KeyVersions } from './documents/key-versions.js';
import { after } from '../ports/maybe-promise.js';
import { KnownRecords } from './known-records.js';
import { Notifier } from './scheduling/notifier.js';
import { IdempotentRequests } from './transactions/idempotency.js';
import { OpenContracts } from './completion/open-contracts.js';
import { SentStopOrders } from './runs/sent-stop-orders.js';
import { semaphoreOf } from '../domain/semaphore.js';
import type { StatePromptOptions } from './prompts/state-prompts.js';
import { ReceiptOwners } from './transactions/receipt-owners.js';
import { Retention } from './scheduling/retention.js';
import { ReadCursors } from './writes/read-cursors.js';
import { logFailedRuns } from './run-log.js';
import { SchemaCache } from './schemas/schema-cache.js';
import { SessionTokens } from './access/session-tokens.js';
import { serviceOf } from './service-of.js';
import { SignsOfLife } from './sessions/signs-of-life.js';
import { StateFactsCache } from './states/state-facts.js';
import { TimeTexts } from './states/time-texts.js';
import { DocumentTexts } from './documents/document-texts.js';
import { StateSizes } from './documents/state-sizes.js';
import { StateWriter } from './writes/state-writer.js';
import { summaryForCallback } from './prompts/state-prompts.js';
import { StreamPages } from './streams/stream-pages.js';
import { InFlight } from './scheduling/in-flight.js';
import { Scheduler } from './scheduling/scheduler.js';
import { TreeTransactions } from './transactions/tree-transactions.js';
import { disableDamaged } from './webhooks/damaged.js';
import { startWebhooks, type WebhookOptions } from './webhooks/start.js';
import { WorkRecorder } from './workflow/work-recorder.js';
import { WebhookList } from './webhooks/webhook-list.js';
import { AddressPolicy } from './webhooks/address-policy.js';

export { examineAll, replayPatch } from './operations/doctor.js';
export { verifyExport } from './evidence/verify-export.js';
export { secretHash } from './access/secrets.js';
export { TokenService } from './access/token-service.js';
export { parseRange, PRIVATE_RANGES } from './webhooks/address-policy.js';
export type { WebhookOptions } from './webhooks/start.js';

/**
 * Writes that wait together are prepared in longer slices, because writes that are ready together
 * are committed together.
 */
const WRITE_SLICE_MS = 50;

export interface ServiceOptions {
  readonly store: Store;
  readonly engine: SchemaEngine;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly auth: boolean;
  /** True if tokens of runs are valid for their whole lifetime. Default: they end with the work of their run. */
  readonly tokensOutliveRuns?: boolean | undefined;
  /** What prompts tell of the state. Default: all. */
  readonly statePrompts?: StatePromptOptions | undefined;
  /** Sign what is added to histories. Default: histories are not signed. */
  readonly keys?: SigningKeys | null | undefined;
  /** The key that signs session tokens. Default: a generated one, stored in the database. */
  readonly tokenSecret?: string | undefined;
  readonly webhooks?: WebhookOptions | undefined;
  /** For how long no coordinator ran on the database, and by how much the clock shifted in that time. */
  readonly away?: TimeAway | undefined;
  /** Named agents. Without them, the agent name of a session is only a label. */
  readonly agents?: AgentSource | undefined;
  /** Reads the schema of workflow records, when a state needs it for the first time. */
  readonly workflowSchema: () => JsonObject;
}

/** The running service: a host for transports, and the way to stop it. The caller closes the store and the engine. */
export interface RunningService extends Host {
  /** Ends waits and timers, and waits for background work in progress. A second call changes nothing. */
  close(): Promise<void>;
}

/** Starts the service. Work that was pending in the database continues. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { store, clock, ids, limits, logger, auth } = options;
  const engine = guardedEngine(options.engine);
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // every webhook send in progress adds a listener
  const secret = options.tokenSecret ?? (await store.setting('session_token_secret', () => ids.newSecret()));
  const sizes = new StateSizes(limits, logger);
  const texts = new DocumentTexts();
  const documents = new Documents(store, limits.stateCacheBytesMax, sizes, texts);
  const schemas = new SchemaCache(store, limits.compiledSchemasMax);
  const keyVersions = new KeyVersions({ store, documents, limits });
  const contracts = new Contracts(engine, store, limits, texts);
  const slices = new TimeSlices();
  const notifier = new Notifier();
  const known = new KnownRecords(store);
  const openContracts = new OpenContracts(store, contracts, limits.stateFactsMax, slices);
  const webhooks = new WebhookList(store, limits);
  // Subscribed before they are read, so that no change is missed.
  const webhookChanges = store.subscribe((changes) => webhooks.onCommit(changes));
  await webhooks.load();
  const agents = new AgentRegistry(options.agents ?? null, engine, limits);
  const archived = new ArchivedInvocations({ store, clock, limits });
  const damageLog = new DamageLog(logger, limits.troubledRecordFactsMax);
  const transactions = new TreeTransactions({
    store,
    clock,
    ids,
    limits,
    keys: options.keys ?? null,
    documents,
    texts,
    schemas,
    contracts,
    engine,
    webhooks,
    recorder: () =>
      new WorkRecorder({
        engine,
        agents,
        archived,
        texts,
        documents,
        contracts,
        openContracts,
        limits,
        schemas,
        clock,
        ids,
        logger,
      }),
  });
  const context = {
    store,
    engine,
    clock,
    ids,
    limits,
    logger,
    auth,
    documents,
    texts,
    contracts,
    openContracts,
    activity: new RecentActivity(clock),
    schemas,
    workflowSchema: options.workflowSchema,
    agents,
    facts: new StateFactsCache(store, limits.stateFactsMax),
    times: new TimeTexts(),
    transactions,
    /** The idempotency record of the present request; a request without an idempotency key has none. */
    receipts: null,
    receiptOwners: new ReceiptOwners(limits.receiptOwnerFactsMax),
    notifier,
    known,
    writer: new StateWriter({
      known,
      keyVersions,
      archived,
      store,
      engine,
      agents,
      contracts,
      openContracts,
      documents,
      texts,
      schemas,
      transactions,
      limits,
      slices: new TimeSlices(WRITE_SLICE_MS),
      clock,
      ids,
      logger,
    }),
    slices,
    keyVersions,
    readCursors: new ReadCursors({ store, limits, logger }),
    tokens: new SessionTokens(secret, clock, limits.sessionTokenMs),
    tokensOutliveRuns: options.tokensOutliveRuns ?? false,
    statePrompts: options.statePrompts ?? { context: true, summary: true },
    stopHookStates: new StopHookStates(limits.hookFactsMax),
    wakers: new Wakers(limits.hookFactsMax),
    signs: new SignsOfLife({ transactions, clock, limits, logger, auth }),
    sentStopOrders: new SentStopOrders(limits.stopOrdersSentMax),
    stateWaits: new InFlight(),
    conditionWaits: semaphoreOf(
      limits,
      'conditionWaitsMax',
      'conditionWaitsPerCallerMax',
      'conditionWaitsPerTreeMax',
    ),
    webhookTargets: new AddressPolicy(options.webhooks?.allow ?? []),
    openStreams: semaphoreOf(limits, 'streamsMax', 'streamsPerCallerMax', 'streamsPerTreeMax'),
    streamPages: new StreamPages(limits.streamPagesBytesMax, () => notifier.commits),
    closing: closing.signal,
  };
  const scheduler = new Scheduler(context);
  const retention = new Retention(context);
  const subscriptions = [
    webhookChanges,
    store.onDamage((damage) => {
      damageLog.note(damage);
      scheduler.onDamage(damage);
    }),
    store.subscribe((changes, by) => {
      if (by === 'this') logFailedRuns(logger, changes);
      else documents.onCommit(changes);
      openContracts.onCommit(changes);
      context.activity.onCommit(changes);
      context.notifier.onCommit(changes);
      scheduler.onCommit(changes);
    }),
    store.onMissedCommits(async () => {
      // The database may have another history now: a standby without the newest commits has taken over.
      for (const cache of [documents, keyVersions, context.streamPages]) cache.clear();
      openContracts.invalidate();
      await webhooks.load();
      context.notifier.wakeAll();
      scheduler.checkSoon();
    }),
  ];
  await scheduler.start(options.away ?? { elapsedMs: 0, clockShiftMs: 0 });
  // Start sending only after `scheduler.start`, which moves the due times of deliveries: before, they would be early.
  const sending = startWebhooks(
    { ...context, summaryOf: (callbackId) => summaryForCallback(context, callbackId) },
    webhooks,
    options.webhooks ?? {},
  );
  subscriptions.push(
    store.subscribe(sending.hear),
    store.onMissedCommits(() => {
      sending.look();
      return Promise.resolve();
    }),
  );
  await disableDamaged(context);
  for (const { name, faults } of await context.agents.broken()) {
    logger.error({ agent: name, errors: faults }, 'the file of an agent cannot be used');
  }
  retention.start();
  const onceOnly = new IdempotentRequests({
    ...context,
    serviceKeeping: (receipts, actor) =>
      serviceOf({ context: { ...context, transactions: transactions.keeping(receipts), receipts }, actor }),
  });
  const forAnyone = serviceOf({ context, actor: OPEN_LOOPBACK });
  return {
    identify: (credentials) => {
      const found = identify(context, credentials);
      return after(found, (result) => {
        if (result.ok) context.signs.of(result.value);
        return result;
      });
    },
    as: (actor, reads) => (actor === OPEN_LOOPBACK ? forAnyone : serviceOf({ context, actor, reads })),
    once: (actor, request, work) => onceOnly.run(actor, request, work),
    textOf: (document) => texts.of(document),
    ready: async () => (closing.signal.aborted ? 'closing' : await store.health()),
    counts: async () => ({
      ...(await store.read.counts()),
      ...store.gauges(),
      damaged_records: { met: damageLog.size },
      tampered_states: { met: damageLog.tampered },
      states: { near_limit: sizes.near },
      condition_waits: { open: context.conditionWaits.inUse },
      streams: { open: context.openStreams.inUse },
    }),
    close: async () => {
      closing.abort();
      context.notifier.wakeAll();
      await context.stateWaits.ended();
      await Promise.all([scheduler.stop(), retention.stop(), sending.stop(), context.signs.close()]);
      await context.readCursors.close();
      for (const unsubscribe of subscriptions) unsubscribe();
    },
  };
}
