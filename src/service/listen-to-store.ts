// What happens at each commit, at each damaged record, and when commits were missed.
import type { Store } from '../ports/storage/store.js';
import type { Parts } from './parts.js';
import { logFailedRuns } from './run-log.js';
import type { Scheduler } from './scheduling/scheduler.js';
import type { Sending } from './webhooks/start.js';

interface Listening {
  /** Notifies the sender of webhooks too, after all others. */
  alsoSending(sending: Sending): void;
  stop(): void;
}

/** Notifies caches, waits and background work of what the store reports. */
export function listenToStore(parts: Parts, scheduler: Scheduler): Listening {
  const { store, logger, documents, keyVersions, streamPages, openContracts, webhooks, notifier, damageLog } =
    parts;
  const subscriptions: ReturnType<Store['subscribe']>[] = [
    store.subscribe((changes) => webhooks.onCommit(changes)),
    store.onDamage((damage) => {
      damageLog.note(damage);
      scheduler.onDamage(damage);
    }),
    store.subscribe((changes, by) => {
      if (by === 'this') logFailedRuns(logger, changes);
      else documents.onCommit(changes);
      openContracts.onCommit(changes);
      parts.activity.onCommit(changes);
      notifier.onCommit(changes);
      scheduler.onCommit(changes, by);
    }),
    store.onMissedCommits(async () => {
      // The database may have another history now: a standby without the newest commits has taken over.
      for (const cache of [documents, keyVersions, streamPages]) cache.clear();
      openContracts.invalidate();
      await webhooks.load();
      notifier.wakeAll();
      scheduler.checkSoon();
    }),
  ];
  return {
    alsoSending(sending) {
      subscriptions.push(
        store.subscribe(sending.onCommit),
        store.onMissedCommits(() => {
          sending.look();
          return Promise.resolve();
        }),
      );
    },
    stop() {
      for (const unsubscribe of subscriptions) unsubscribe();
    },
  };
}
