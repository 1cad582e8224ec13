// Follows a source page by page, at the reader's pace. It reads a page only when the reader asks for it, so a
// slow reader holds a position and no memory. It subscribes before it reads, so no commit is missed.
import { RecordDamagedError } from '../../domain/damage/damage.js';
import { fail, ok, type ErrorCode, type Failure, type Result } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json/json.js';
import type { StreamEvent } from '../../ports/api/index.js';
import { storageFailure, type StorageCode } from '../../ports/storage/storage.js';
import type { EventStream } from '../../ports/service.js';
import type { Limits } from '../../domain/limits.js';
import type { Semaphore } from '../../domain/semaphore.js';
import type { Caller } from '../caller.js';
import type { DamageLog } from '../operations/damage-log.js';
import type { Topic, Notifier } from '../scheduling/notifier.js';
import type { FollowerGroups } from './follower-groups.js';
import type { StreamPage } from './stream-pages.js';
import { bookmark, dropped } from './stream-views.js';

export interface FollowParts {
  readonly limits: Limits;
  readonly notifier: Notifier;
  readonly openStreams: Semaphore;
  readonly followerGroups: FollowerGroups;
  readonly damageLog: DamageLog;
  /** Aborted when the service shuts down, so that waits end early. */
  readonly closing: AbortSignal;
}

/** A source that can be followed; `P` is a position in it. */
export interface Source<P> {
  readonly topic: Topic;
  readonly start: P;
  /** The first event of the stream; `null` means a bookmark. */
  readonly first: StreamEvent | null;
  readonly idOf: (position: P) => string;
  readonly read: (position: P) => Promise<Result<StreamPage<P>>>;
}

const NEVER = new AbortController().signal;

/**
 * @param signal - Ends the stream, also one that nobody has begun to read.
 * @returns The stream; or `overloaded` if too many streams are open or the service is stopping.
 */
export function follow<P>(
  { context, actor }: Caller<FollowParts>,
  source: Source<P>,
  signal?: AbortSignal,
): Result<EventStream> {
  if (context.closing.aborted) return fail('overloaded', 'The service is stopping.');
  const permit = context.openStreams.tryAcquire(actor);
  if (!permit.ok) return permit;
  const release = releasedWith(signal, permit.value);
  return ok(pages(context, source, signal ?? NEVER, release));
}

/**
 * Releases a permit when a signal aborts: a generator that is never read, as for `HEAD` or a client that is gone before
 * the first event, does not get to its own end.
 *
 * @returns Releases it earlier.
 */
function releasedWith(signal: AbortSignal | undefined, release: () => void): () => void {
  if (signal?.aborted === true) release();
  else signal?.addEventListener('abort', release, { once: true });
  return () => {
    signal?.removeEventListener('abort', release);
    release();
  };
}

/** Turns a damaged record, or a database that cannot be read, into a failure: the stream ends with that reason. */
async function readOf<P>(
  { damageLog }: FollowParts,
  source: Source<P>,
  from: P,
): Promise<Result<StreamPage<P>>> {
  try {
    return await source.read(from);
  } catch (error) {
    if (error instanceof RecordDamagedError) return damageLog.refused(error.damage);
    const failure = storageFailure(error);
    if (failure === null) throw error;
    return { ok: false, failure };
  }
}

/** A stream that only the database has stopped can be resumed. */
function droppedFor(id: string, { error, detail, members }: Failure): StreamEvent {
  const reason = STORAGE_ERRORS.has(error) ? 'unavailable' : 'refused';
  return dropped(id, reason, { ...(members as JsonObject), error, detail });
}

const STORAGE_ERRORS: ReadonlySet<ErrorCode> = new Set<StorageCode>([
  'storage_full',
  'storage_busy',
  'storage_failed',
  'storage_lost',
]);

async function* pages<P>(
  context: FollowParts,
  source: Source<P>,
  signal: AbortSignal,
  release: () => void,
): AsyncGenerator<readonly StreamEvent[]> {
  const { notifier, limits, closing, followerGroups } = context;
  const until = performance.now() + limits.streamMsMax;
  const group = followerGroups.join(source.topic);
  let hasPaused = false;
  let position = source.start;
  const id = () => source.idOf(position);
  try {
    yield [source.first ?? bookmark(id())];
    let isAtEnd = false;
    while (!signal.aborted) {
      // At the end it subscribes and then reads again, so that no commit is missed.
      const change = isAtEnd ? notifier.listen([source.topic], limits.streamBookmarkMs, signal) : null;
      try {
        const page: Result<StreamPage<P>> | null = await unlessClosed(
          readOf(context, source, position),
          closing,
        );
        if (page?.ok === true) position = page.value.next;
        if (page?.ok === true && page.value.events.length > 0) {
          isAtEnd = false;
          if (hasPaused) await group.acquire();
          hasPaused = !page.value.hasMore;
          const pause = hasPaused ? group.pause() : undefined;
          yield page.value.events;
          await pause;
          continue;
        }
        const end = endOf(page, id(), closing, until);
        if (end !== null) {
          yield [end];
          return;
        }
        hasPaused = false;
        if (change === null) isAtEnd = true;
        else if (!(await change.woken) && !isOver([signal, closing])) yield [bookmark(id())];
      } finally {
        change?.cancel();
      }
    }
  } finally {
    followerGroups.leave(source.topic);
    release();
  }
}

/**
 * The last event of a stream that has read no events; `null` if the stream goes on.
 *
 * @param until - When the stream has lasted long enough.
 */
function endOf(
  page: Result<unknown> | null,
  id: string,
  closing: AbortSignal,
  until: number,
): StreamEvent | null {
  if (page === null || closing.aborted) return dropped(id, 'stopping');
  if (!page.ok) return droppedFor(id, page.failure);
  return performance.now() >= until ? dropped(id, 'expired') : null;
}

function isOver(signals: readonly AbortSignal[]): boolean {
  return signals.some(({ aborted }) => aborted);
}

/** @returns `null` if the service stops, and its store is closed already: the reader resumes at its place later. */
async function unlessClosed<T>(reading: Promise<T>, closing: AbortSignal): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (closing.aborted) return null;
    throw error;
  }
}
