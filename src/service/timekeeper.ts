// Fires what is due: leases, time-outs, requests. Everything that is due stands in the database; this only looks.
import type { Changeset } from '../domain/changeset.js';
import { completionDue, runDue } from '../domain/due.js';
import { leaseExtended } from '../domain/runs/lifecycle.js';
import { accepted } from '../domain/errors.js';
import type { RunStatus } from '../domain/records.js';
import type { Due } from '../ports/store.js';
import { Alarm } from './alarm.js';
import type { ServiceContext } from './context.js';

const UNDER_WAY: readonly RunStatus[] = ['claimed', 'running', 'stopping'];

type Parts = Pick<ServiceContext, 'store' | 'trees' | 'clock' | 'limits' | 'logger' | 'notifier'>;

export class Timekeeper {
  readonly #alarm: Alarm;

  constructor(private readonly parts: Parts) {
    this.#alarm = new Alarm(parts, () => this.#tick());
  }

  /** Gives every lease its full time anew: while the service was away, no runner could keep one. */
  async start(): Promise<void> {
    for (const status of UNDER_WAY) await this.#renewLeases(status);
    this.#alarm.set(0);
  }

  /** Hears commits, so that something that is due soon is not found late. */
  hear(changes: Changeset): void {
    for (const change of changes) {
      if (!('put' in change)) continue;
      if (change.put === 'run' && change.record.status === 'pending')
        this.#alarm.set(change.record.availableAt);
      if ((change.put === 'run' || change.put === 'completion') && change.record.dueAt !== null) {
        this.#alarm.set(change.record.dueAt);
      }
    }
  }

  stop(): Promise<void> {
    return this.#alarm.stop();
  }

  async #tick(): Promise<void> {
    const { store, clock, limits, logger, notifier } = this.parts;
    let more = false;
    try {
      const due = await store.read.due(clock.now(), limits.dueAtOnceMax);
      const fired = await Promise.allSettled(due.map((one) => this.#fire(one)));
      for (const one of fired) {
        if (one.status === 'rejected')
          logger.error({ err: one.reason as unknown }, 'something that is due could not be done');
      }
      more = due.length === limits.dueAtOnceMax && fired.every((one) => one.status === 'fulfilled');
      notifier.wake('runs');
      const next = more ? 0 : ((await store.read.nextDueAt(clock.now())) ?? Infinity);
      this.#alarm.set(Math.min(next, clock.now() + limits.tickMs));
    } catch (error) {
      logger.error({ err: error }, 'the timers could not be read');
      this.#alarm.set(clock.now() + limits.tickMs);
    }
  }

  async #fire(due: Due): Promise<void> {
    const { trees } = this.parts;
    if (due.kind === 'run') {
      await trees.decide(due.rootSessionId, [{ want: 'run', runId: due.runId }], (draft) =>
        runDue(draft, due.runId),
      );
    } else {
      await trees.decide(due.rootSessionId, [{ want: 'desk', sessionId: due.sessionId }], (draft) =>
        completionDue(draft, due.sessionId),
      );
    }
  }

  async #renewLeases(status: RunStatus): Promise<void> {
    const { store, trees, limits } = this.parts;
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof store.read.runs>> = await store.read.runs(
        { status },
        { limit: limits.listItemsMax, cursor },
      );
      for (const { runId, rootSessionId } of page.items) {
        await trees.decide(rootSessionId, [{ want: 'run', runId }], (draft) => {
          const run = draft.family.runs.get(runId);
          if (run?.status === status) draft.putRun(leaseExtended(run, draft.now, limits));
          return accepted(null);
        });
      }
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
}
