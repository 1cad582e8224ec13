// Deadlines of jobs in a thread: they bound what a job uses, not how busy the machine is.
import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import type { JsonObject } from '../../../src/domain/json/json.js';
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
