// Starts the service on a store, and stops it. No rules and no use cases.
import { OPEN_LOOPBACK } from '../domain/access/actor.js';
import type { Host } from '../ports/host.js';
import { after } from '../lib/maybe-promise.js';
import { identify } from './access/identity.js';
import { listenToStore } from './listen-to-store.js';
import { createParts } from './parts.js';
import { summaryForCallback } from './prompts/state-prompts.js';
import { Retention } from './scheduling/retention.js';
import { Scheduler } from './scheduling/scheduler.js';
import { serviceOf } from './service-of.js';
import type { ServiceOptions } from './service-options.js';
import { IdempotentRequests } from './transactions/idempotency.js';
import { disableDamaged } from './webhooks/damaged.js';
import { startWebhooks } from './webhooks/start.js';

export { examineAll, replayPatch } from './operations/doctor.js';
export { verifyExport } from './evidence/verify-export.js';
export { secretHash } from './access/secrets.js';
export { TokenService } from './access/token-service.js';
export { parseRange, PRIVATE_RANGES } from './webhooks/address-policy.js';
export type { ServiceOptions } from './service-options.js';
export type { WebhookOptions } from './webhooks/start.js';

/** The running service: a host for transports, and the way to stop it. The caller closes the store and the engine. */
export interface RunningService extends Host {
  /** Resolves when the records of all answers to requests with an idempotency key are on disk. Callers do not wait for it. */
  answersKept(): Promise<void>;
  /** Ends waits and timers, and waits for background work in progress. A second call changes nothing. */
  close(): Promise<void>;
}

/** Starts the service. Work that was pending in the database continues. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { store, logger } = options;
  const closing = new AbortController();
  const parts = await createParts(options, closing.signal);
  const { transactions, webhooks, texts, damageLog } = parts;
  const scheduler = new Scheduler(parts);
  const retention = new Retention(parts);
  const listening = listenToStore(parts, scheduler);
  // Read after the subscription, so that no change is missed.
  await webhooks.load();
  await scheduler.start(options.away ?? { elapsedMs: 0, clockShiftMs: 0 });
  // Start sending only after `scheduler.start`, which moves the due times of deliveries: before, they would be early.
  const sending = startWebhooks(
    { ...parts, summaryOf: (callbackId) => summaryForCallback(parts, callbackId) },
    webhooks,
    options.webhooks ?? {},
  );
  listening.alsoSending(sending);
  await disableDamaged(parts);
  for (const { name, faults } of await parts.agents.broken()) {
    logger.error({ agent: name, errors: faults }, 'the file of an agent cannot be used');
  }
  retention.start();
  const onceOnly = new IdempotentRequests({
    ...parts,
    serviceKeeping: (receipts, actor) =>
      serviceOf({ context: { ...parts, transactions: transactions.keeping(receipts), receipts }, actor }),
  });
  const forAnyone = serviceOf({ context: parts, actor: OPEN_LOOPBACK });
  return {
    identify: (credentials) =>
      after(identify(parts, credentials), (found) => {
        if (found.ok) parts.signs.of(found.value);
        return found;
      }),
    as: (actor, reads) => (actor === OPEN_LOOPBACK ? forAnyone : serviceOf({ context: parts, actor, reads })),
    once: (actor, request, work) => onceOnly.run(actor, request, work),
    answersKept: () => onceOnly.answersKept(),
    damagedRecord: (damage) => damageLog.refused(damage),
    textOf: (document) => texts.of(document),
    ready: async () => (closing.signal.aborted ? 'closing' : await store.health()),
    counts: async () => ({
      ...(await store.read.counts()),
      damaged_records: { met: damageLog.size },
      tampered_states: { met: damageLog.tampered },
      states: { near_limit: parts.sizes.near },
      condition_waits: { open: parts.conditionWaits.inUse },
      streams: { open: parts.openStreams.inUse },
      ...store.gauges(),
      cache_bytes: {
        documents: parts.documents.bytes,
        schemas: parts.engine.cacheBytes,
        sessions: store.cacheBytes,
        read_cursors: parts.readCursors.bytes,
        stream_pages: parts.streamPages.bytes,
        archived_invocations: parts.archived.bytes,
      },
    }),
    close: async () => {
      closing.abort();
      parts.notifier.wakeAll();
      await parts.stateWaits.ended();
      await Promise.all([scheduler.stop(), retention.stop(), sending.stop(), parts.signs.close()]);
      await parts.readCursors.close();
      await onceOnly.answersKept();
      listening.stop();
    },
  };
}
