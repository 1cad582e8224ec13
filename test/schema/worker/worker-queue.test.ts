// Deadlines of jobs in a thread: they bound what a job uses, not how busy the machine is. And jobs that get no thread.
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import type { JsonObject } from '../../../src/domain/json/json.js';
import { NoThreadError } from '../../../src/ports/schema-engine.js';
import { WORKER_ENTRY } from '../../../src/schema/worker/worker-entry.js';
import { WorkerQueue } from '../../../src/schema/worker/worker-queue.js';

/** Compiling a schema takes longer than that, always. */
const DEADLINES_MS = [1, 1];

const expensive: JsonObject = {
  type: 'object',
  oneOf: Array.from({ length: 1000 }, (_, i) => ({ properties: { [`p${String(i)}`]: { const: i } } })),
};

describe('a job that takes longer than its deadline', () => {
  let queue: WorkerQueue;
  afterEach(() => queue.close());
  const run = (cpuMs: () => number, schema: JsonObject) => {
    queue = new WorkerQueue({ limits: DEFAULT_LIMITS }, cpuMs);
    return queue.run(() => ({ kind: 'admit', schema }), DEADLINES_MS);
  };

  it('is answered if the process got no processor meanwhile', async () => {
    expect(await run(() => 0, { type: 'object' })).toMatchObject({ kind: 'done', result: { ok: true } });
  });

  it('is ended if the process has used that time', async () => {
    let usedMs = 0;
    expect(await run(() => (usedMs += 1), expensive)).toEqual({ kind: 'deadline' });
  });
});

describe('a job that cannot be handed to a thread', () => {
  const setup = { limits: DEFAULT_LIMITS };
  const admit = () => ({ kind: 'admit', schema: { type: 'object' } }) as const;
  const LONG_MS = [30_000];
  const done = { kind: 'done', result: { ok: true } };
  const thread = () => new Worker(WORKER_ENTRY, { workerData: setup });
  const refused = (): Worker => {
    throw Object.assign(new Error('Worker initialization failure: EAGAIN'), {
      code: 'ERR_WORKER_INIT_FAILED',
    });
  };
  const fails = (code: string) =>
    new Worker(`throw Object.assign(new Error('no memory'), { code: '${code}' })`, { eval: true });

  let queue: WorkerQueue;
  afterEach(() => queue.close());
  /** Starts one thread after the other as listed, then real ones. */
  const queueOf = (...starts: readonly (() => Worker)[]) => {
    const left = [...starts];
    queue = new WorkerQueue(
      setup,
      () => 0,
      () => (left.shift() ?? thread)(),
    );
    return (request: Parameters<WorkerQueue['run']>[0] = admit) => queue.run(request, LONG_MS);
  };

  it.each([
    ['at once', refused],
    ['by an event', () => fails('ERR_WORKER_INIT_FAILED')],
  ])('says so if the system gives no thread, %s, and later jobs try again', async (_, start) => {
    const run = queueOf(start, start);
    const jobs = await Promise.allSettled([run(), run(), run()]);
    expect(jobs).toMatchObject([
      { status: 'rejected', reason: expect.any(NoThreadError) },
      { status: 'rejected', reason: expect.any(NoThreadError) },
      { status: 'fulfilled', value: done },
    ]);
    expect(queue.load).toBe(0);
    expect(await run()).toMatchObject(done);
  });

  it('fails alone if the thread before it broke and there is no other', async () => {
    const run = queueOf(() => fails('ERR_OTHER'), refused);
    const jobs = await Promise.allSettled([run(), run(), run()]);
    expect(jobs).toMatchObject([
      { status: 'rejected', reason: { message: 'no memory' } },
      { status: 'rejected', reason: expect.any(NoThreadError) },
      { status: 'fulfilled', value: done },
    ]);
  });

  it('fails alone if its request cannot be made, and gets no thread that counts it as sent', async () => {
    const run = queueOf();
    const threads = new Set<object>();
    const broken = (of: object) => {
      threads.add(of);
      throw new Error('no request');
    };
    const jobs = await Promise.allSettled([run(broken), run(), run(broken), run()]);
    expect(jobs).toMatchObject([
      { status: 'rejected', reason: { message: 'no request' } },
      { status: 'fulfilled', value: done },
      { status: 'rejected', reason: { message: 'no request' } },
      { status: 'fulfilled', value: done },
    ]);
    expect(threads.size).toBe(2);
  });
});
