// Keeps a folder like the states of a service: follows the events, reads what was written, and has it written to files.
import { backoffMs, sleep } from '../../lib/backoff.js';
import { ConnectionError, type WatchEvent } from '../../client/index.js';
import { ERRORS, ok, type ErrorCode, type Failure, type Result } from '../../domain/errors.js';
import { MirrorWriter, type MirrorParts } from './mirror-writer.js';
import { PendingWork, type MirrorWork } from './pending.js';
import type { MirrorScope, StatePage } from './source.js';

/** How long writes are collected before they are read together. The stream itself is at most 120 ms behind. */
const COLLECT_MS = 250;
/** The least time between two checks for edited files. Checks take at most a tenth of the time. */
const CHECK_MS = 1_000;
const CHECK_SHARE = 10;
const BACKOFF = { firstMs: 100, maxMs: 5_000 };

/** The stream cannot continue from its position: the history was compacted, or a backup was restored. */
const PAST_IS_GONE: readonly ErrorCode[] = ['version_compacted', 'version_not_found'];

/** The error that ends a stream when its subject is deleted. */
const IS_GONE: Readonly<Record<MirrorScope['of'], ErrorCode | null>> = {
  state: 'state_not_found',
  tree: 'session_not_found',
  all: null,
};

const SERVICE = 'the service';

export class Mirror {
  readonly #pending = new PendingWork();
  readonly #stop = new AbortController();
  readonly #writer: MirrorWriter;
  #checkAt = 0;

  constructor(private readonly parts: MirrorParts) {
    this.#writer = new MirrorWriter(parts);
  }

  /**
   * Mirrors until the signal aborts, or until the state is deleted that alone is mirrored.
   *
   * @returns A failure that trying again cannot change, such as `unauthorized`.
   * @throws ConnectionError If the service cannot be reached at the beginning.
   */
  async run(signal: AbortSignal): Promise<Result<null>> {
    const stop = () => this.#stop.abort();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const written = new AbortController();
    const history = this.parts.history?.run(written.signal) ?? Promise.resolve();
    const writing = Promise.allSettled([this.#ending(this.#follow()), this.#ending(this.#work())]);
    const parts = await Promise.all([
      // The last write is committed last.
      writing.finally(() => written.abort()),
      Promise.allSettled([this.#unlessFails(history)]),
    ]);
    signal.removeEventListener('abort', stop);
    const failed = parts.flat().find((part) => part.status === 'rejected');
    if (failed === undefined) return ok(null);
    const reason: unknown = failed.reason;
    if (reason instanceof PermanentFailure) return { ok: false, failure: reason.failure };
    throw reason;
  }

  /** When one part of the mirror ends, the others end too. */
  async #ending(part: Promise<void>): Promise<void> {
    try {
      await part;
    } finally {
      this.#stop.abort();
    }
  }

  async #unlessFails(history: Promise<void>): Promise<void> {
    try {
      await history;
    } catch (error) {
      this.#stop.abort();
      throw error;
    }
  }

  #isOver(): boolean {
    return this.#stop.signal.aborted;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    let received = 0;
    for (let failures = 0; !this.#isOver(); failures += 1) {
      const before = received;
      try {
        for await (const event of this.parts.source.events(signal)) {
          if (!event.ok) {
            this.#streamEnded(event.failure);
            break;
          }
          // The stream does not contain writes before the first event.
          if (received === before) this.#pending.addAll();
          received += 1;
          failures = 0;
          this.#onEvent(event.value);
        }
      } catch (error) {
        if (!(error instanceof ConnectionError)) throw error;
        if (received === 0 && !this.#isOver()) throw error;
      }
      await sleep(backoffMs(failures + 1, BACKOFF), signal);
    }
  }

  #onEvent({ event, data }: WatchEvent): void {
    if (event === 'workflow_state_updated') this.#pending.addWritten(data.timestamp);
    if (event === 'workflow_state_deleted') this.#pending.addDeleted(data.state_id);
  }

  /** The subject may be deleted. The next pass detects this and removes the files. */
  #streamEnded(failure: Failure): void {
    if (IS_GONE[this.parts.source.scope.of] === failure.error) this.#pending.addAll();
    else if (!PAST_IS_GONE.includes(failure.error)) throwIfPermanent(failure);
  }

  async #work(): Promise<void> {
    const { signal } = this.#stop;
    for (let failures = 0; !this.#isOver();) {
      await this.#pending.waitForWork(CHECK_MS, signal);
      if (!this.#pending.isEmpty) await sleep(COLLECT_MS, signal);
      if (this.#isOver()) return;
      const work = this.#pending.drain();
      try {
        if (!(await this.#do(work))) return;
        await this.#checkEdits();
        this.parts.reports.solved(SERVICE);
        failures = 0;
      } catch (error) {
        if (!(error instanceof ConnectionError) && !(error instanceof RetryableFailure)) throw error;
        this.#pending.requeue(work);
        this.parts.reports.problem(SERVICE, `${error.message} Trying again until it works.`);
        failures += 1;
        await sleep(backoffMs(failures, BACKOFF), signal);
      }
    }
  }

  /** @returns False if there is nothing left to mirror. */
  async #do({ all, since, deleted, again }: MirrorWork): Promise<boolean> {
    const { source, folder, reports } = this.parts;
    const { scope } = source;
    const removed = new Set<string>();
    const remove = async (stateId: string) => {
      if (await this.#writer.remove(stateId)) removed.add(stateId);
    };
    for (const stateId of deleted) await remove(stateId);
    const seen = new Set<string>();
    if (all || since !== null) {
      for await (const page of source.states(all ? undefined : (since ?? undefined)))
        await this.#write(page, seen);
    }
    for (const stateId of again) {
      const root = this.#writer.rootOf(stateId);
      if (seen.has(stateId) || root === null) continue;
      await this.#write(await source.state(stateId, root), seen);
      if (!seen.has(stateId) && (await source.isGone(stateId))) await remove(stateId);
    }
    const missing = all ? this.#writer.unseen(seen) : [];
    for (const stateId of missing) if (await source.isGone(stateId)) await remove(stateId);
    const states = [...seen].filter((stateId) => !this.#writer.hasFailed(stateId)).length;
    if (all) reports.emit({ event: 'current', states, dir: folder.path });
    return scope.of !== 'state' || !removed.has(scope.stateId);
  }

  async #write(page: Result<StatePage>, seen: Set<string>): Promise<void> {
    if (!page.ok) {
      throwIfPermanent(page.failure);
      throw new RetryableFailure(page.failure.detail);
    }
    await this.#writer.writeAll(page.value);
    for (const { state_id } of page.value.states) seen.add(state_id);
    for (const { stateId } of page.value.damaged) seen.add(stateId);
  }

  async #checkEdits(): Promise<void> {
    const began = performance.now();
    if (began < this.#checkAt) return;
    for (const stateId of await this.#writer.statesToRewrite()) this.#pending.addAgain(stateId);
    const ended = performance.now();
    this.#checkAt = ended + Math.max(CHECK_MS, (ended - began) * CHECK_SHARE);
  }
}

/** A failure after which the same request can succeed. */
class RetryableFailure extends Error {}

/** A failure that ends the mirror. */
class PermanentFailure extends Error {
  constructor(readonly failure: Failure) {
    super(failure.detail);
  }
}

/** @throws PermanentFailure If the same request would fail again. */
function throwIfPermanent(failure: Failure): void {
  if (!ERRORS[failure.error].retryable) throw new PermanentFailure(failure);
}
