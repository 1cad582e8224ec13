// How a stream ends where its source cannot be read.
import { describe, expect, it } from 'vitest';
import { OPEN_LOOPBACK } from '../../../src/domain/access/actor.js';
import { ok } from '../../../src/domain/errors.js';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import { semaphoreOf } from '../../../src/domain/semaphore.js';
import { StorageError } from '../../../src/ports/storage/storage.js';
import { DamageLog } from '../../../src/service/operations/damage-log.js';
import type { StreamEvent } from '../../../src/ports/api/index.js';
import { Notifier } from '../../../src/service/scheduling/notifier.js';
import { FollowerGroups } from '../../../src/service/streams/follower-groups.js';
import { follow, type Source } from '../../../src/service/streams/follow.js';
import { must, silent } from '../harness.js';

describe('a stream whose source cannot be read', () => {
  const eventsOf = async (read: Source<number>['read']) => {
    const context = {
      clock: { now: () => 0 },
      limits: DEFAULT_LIMITS,
      notifier: new Notifier(),
      openStreams: { tryAcquire: () => ok(() => undefined) },
      followerGroups: new FollowerGroups(new AbortController().signal),
      damageLog: new DamageLog(silent, 10),
      closing: new AbortController().signal,
    };
    const source = { topic: 'state:wst_1', start: 7, first: null, idOf: String, read } as const;
    const heard: StreamEvent[] = [];
    const stream = follow({ context: context as never, actor: OPEN_LOOPBACK }, source);
    for await (const events of must(stream)) heard.push(...events);
    return heard;
  };

  it('ends as unavailable, to be resumed, when the database cannot be read', async () => {
    const lost = new StorageError('storage_failed', 'The database cannot be reached');
    expect((await eventsOf(() => Promise.reject(lost))).at(-1)).toEqual({
      id: '7',
      event: 'dropped',
      data: { reason: 'unavailable', error: 'storage_failed', detail: 'The database cannot be reached' },
    });
  });

  it('throws when nothing expects the error', async () => {
    await expect(eventsOf(() => Promise.reject(new TypeError('a bug')))).rejects.toThrow('a bug');
  });
});

describe('the permit of a stream', () => {
  const permits = semaphoreOf(DEFAULT_LIMITS, 'streamsMax', 'streamsPerCallerMax', 'streamsPerTreeMax');
  const open = (signal?: AbortSignal) => {
    const context = {
      clock: { now: () => 0 },
      limits: DEFAULT_LIMITS,
      notifier: new Notifier(),
      openStreams: permits,
      damageLog: new DamageLog(silent, 10),
      followerGroups: new FollowerGroups(new AbortController().signal),
      closing: new AbortController().signal,
    };
    const read = () => Promise.resolve(ok({ events: [], next: 7, hasMore: false }));
    const source = { topic: 'state:wst_1', start: 7, first: null, idOf: String, read } as const;
    return must(follow({ context: context, actor: OPEN_LOOPBACK }, source, signal));
  };

  it('is released when a stream ends that nobody has begun to read', () => {
    const stop = new AbortController();
    open(stop.signal);
    expect(permits.inUse).toBe(1);
    stop.abort();
    expect(permits.inUse).toBe(0);
    open(AbortSignal.abort());
    expect(permits.inUse).toBe(0);
  });

  it('is released once, however the stream ends', async () => {
    const stop = new AbortController();
    open();
    for await (const events of open(stop.signal)) {
      expect(events).toHaveLength(1);
      expect(permits.inUse).toBe(2);
      stop.abort();
    }
    expect(permits.inUse).toBe(1);
  });
});
