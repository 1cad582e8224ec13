// Counts writes and ended runs minute by minute, from commits. Kept in memory: it is for charts, not for accounting.
import type { Changeset } from '../../domain/transactions/changeset.js';
import type { Run } from '../../domain/records/records.js';
import type * as api from '../../ports/api/index.js';
import type { Clock } from '../../ports/runtime.js';
import { time } from '../views.js';

const MINUTE_MS = 60_000;
const MINUTES = 60;

interface Minute {
  writes: number;
  ended: number;
  failed: number;
  /** Of the runs that ended after they had started. */
  started: number;
  waitMs: number;
  runMs: number;
}

/** At most one entry for each of the last 60 minutes. */
export class RecentActivity {
  readonly #since: number;
  readonly #minutes = new Map<number, Minute>();

  constructor(private readonly clock: Clock) {
    this.#since = clock.now();
  }

  /** Every commit, also those of other coordinators. */
  onCommit(changes: Changeset): void {
    let minute: Minute | null = null;
    for (const change of changes) {
      if (!('put' in change)) continue;
      if (change.put === 'event') (minute ??= this.#current()).writes += 1;
      else if (change.put === 'run' && change.record.completedAt !== null)
        note((minute ??= this.#current()), change.record);
    }
  }

  /** Minutes without a commit are in it too. */
  read(): api.Activity {
    const now = this.#minuteNow();
    const first = Math.max(now - MINUTES + 1, Math.floor(this.#since / MINUTE_MS));
    const numbers = Array.from({ length: Math.max(0, now - first + 1) }, (_, i) => first + i);
    return {
      since: time(this.#since),
      interval_ms: MINUTE_MS,
      items: numbers.map((number) => itemOf(number, this.#minutes.get(number) ?? nothing())),
    };
  }

  #minuteNow(): number {
    return Math.floor(this.clock.now() / MINUTE_MS);
  }

  #current(): Minute {
    const now = this.#minuteNow();
    const known = this.#minutes.get(now);
    if (known !== undefined) return known;
    for (const minute of this.#minutes.keys()) {
      if (minute <= now - MINUTES || minute > now) this.#minutes.delete(minute);
    }
    const added = nothing();
    this.#minutes.set(now, added);
    return added;
  }
}

function nothing(): Minute {
  return { writes: 0, ended: 0, failed: 0, started: 0, waitMs: 0, runMs: 0 };
}

function note(minute: Minute, { status, createdAt, startedAt, completedAt }: Run): void {
  minute.ended += 1;
  if (status === 'failed' || status === 'timed_out') minute.failed += 1;
  if (startedAt === null || completedAt === null) return;
  minute.started += 1;
  minute.waitMs += Math.max(0, startedAt - createdAt);
  minute.runMs += Math.max(0, completedAt - startedAt);
}

function itemOf(number: number, one: Minute): api.Activity['items'][number] {
  const mean = (total: number) => (one.started === 0 ? null : Math.round(total / one.started));
  return {
    at: time(number * MINUTE_MS),
    writes: one.writes,
    runs_ended: one.ended,
    runs_failed: one.failed,
    run_wait_ms: mean(one.waitMs),
    run_ms: mean(one.runMs),
  };
}
