import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must, openHarness, failure, type Harness } from '../harness.js';

const SCHEMA = { type: 'object', properties: { status: { type: 'string' }, n: { type: 'integer' } } };

describe('waiting for a state', () => {
  let harness: Harness;
  let id: string;
  beforeEach(async () => {
    harness = await openHarness({ conditionWaitsMax: 2 });
    must(await harness.operator.schemas.register({ name: 'plan', json_schema: SCHEMA }));
    const created = await harness.operator.states.create({ schema_name: 'plan', initial_data: { n: 0 } });
    id = must(created).state_id;
  });
  afterEach(() => harness.close());
  const states = () => harness.operator.states;
  const setStatus = (status: string) => states().mergePatch(id, { status }, {});
  const done = { properties: { status: { const: 'done' } }, required: ['status'] };
  const failed = { properties: { status: { const: 'failed' } }, required: ['status'] };

  it('answers at once where there is a newer version already', async () => {
    must(await setStatus('open'));
    const heard = must(await states().get(id, undefined, { afterVersion: 1, waitMs: 60_000 }));
    expect(heard).toMatchObject({ version: 2 });
    expect(heard).not.toHaveProperty('timed_out');
  });

  it('answers as soon as there is a newer version, also at a pointer', async () => {
    const wait = { afterVersion: 1, waitMs: 60_000 };
    const whole = states().get(id, undefined, wait);
    const part = states().getAt(id, '/status', undefined, wait);
    must(await setStatus('open'));
    expect(must(await whole)).toMatchObject({ version: 2, current_data: { status: 'open' } });
    expect(must(await part)).toMatchObject({ version: 2, value: 'open' });
  });

  it('says so where the time ends without a newer version', async () => {
    expect(must(await states().get(id, undefined, { afterVersion: 1 }))).toMatchObject({
      version: 1,
      timed_out: true,
    });
    expect(must(await states().getAt(id, '/n', undefined, { afterVersion: 1 }))).toEqual({
      state_id: id,
      version: 1,
      pointer: '/n',
      value: 0,
      timed_out: true,
    });
  });

  it('ends in its time, also where the clock stands still or is set back', async () => {
    const newer = states().get(id, undefined, { afterVersion: 1, waitMs: 20 });
    const match = states().wait(id, { until: done, timeout_ms: 20 });
    harness.clock.advance(-3_600_000);
    expect(must(await newer)).toMatchObject({ version: 1, timed_out: true });
    expect(must(await match)).toMatchObject({ version: 1 });
  });

  it('ends in its time, also where others write after the clock was set back', async () => {
    const match = states().wait(id, { until: done, timeout_ms: 200 });
    must(await setStatus('open'));
    harness.clock.advance(-3_600_000);
    must(await setStatus('busy'));
    expect(must(await match)).toMatchObject({ version: 3 });
  });

  it('ends at once where the state is deleted meanwhile', async () => {
    const newer = states().get(id, undefined, { afterVersion: 1, waitMs: 60_000 });
    const match = states().wait(id, { until: done, timeout_ms: 60_000 });
    must(await states().remove(id));
    expect(failure(await newer).error).toBe('state_not_found');
    expect(failure(await match).error).toBe('state_not_found');
  });

  it('ends when whoever waits goes away, and when the service stops', async () => {
    const gone = new AbortController();
    const first = states().get(id, undefined, { afterVersion: 1, waitMs: 60_000, signal: gone.signal });
    gone.abort();
    expect(must(await first)).toMatchObject({ timed_out: true });
    const second = states().wait(id, { until: done, timeout_ms: 60_000 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await harness.restart();
    expect(must(await second)).toMatchObject({ matched: false });
  });

  it('answers as soon as the document satisfies the condition, not before', async () => {
    const waiting = states().wait(id, { until: done, fail_on: failed, timeout_ms: 60_000 });
    must(await setStatus('open'));
    must(await setStatus('half'));
    must(await setStatus('done'));
    const found = must(await waiting);
    expect(found).toMatchObject({ matched: true, version: 4, current_data: { n: 0, status: 'done' } });
    expect(found).not.toHaveProperty('failed');
  });

  it('tells that the document satisfies the opposite, and prefers the condition where both hold', async () => {
    const waiting = states().wait(id, { until: done, fail_on: failed, timeout_ms: 60_000 });
    must(await setStatus('failed'));
    expect(must(await waiting)).toMatchObject({ matched: false, failed: true });
    const both = await states().wait(id, { until: failed, fail_on: failed });
    expect(must(both)).toMatchObject({ matched: true });
  });

  it('without a time it only looks', async () => {
    expect(must(await states().wait(id, { until: done }))).toMatchObject({ matched: false, version: 1 });
  });

  it('takes a condition as carefully as any schema from outside', async () => {
    const before = harness.dump();
    const wait = async (until: unknown, fail_on?: unknown) =>
      failure(
        await states().wait(id, {
          until: until as never,
          ...(fail_on === undefined ? {} : { fail_on: fail_on as never }),
        }),
      ).error;
    expect(await wait({ type: 'nothing' })).toBe('invalid_schema');
    expect(await wait(done, { $ref: 'https://elsewhere.example/schema' })).toBe('invalid_schema');
    expect(await wait('text')).toBe('invalid_schema');
    const faults = async (until: unknown, fail_on: unknown) => {
      const { detail, members } = failure(
        await states().wait(id, { until: until as never, fail_on: fail_on as never }),
      );
      return [detail, members['errors'] ?? members['pointer']];
    };
    expect(await faults(done, { type: 'objekt' })).toEqual([
      expect.stringMatching(/^\/fail_on\/type: must be/),
      expect.arrayContaining([expect.objectContaining({ pointer: '/fail_on/type' })]),
    ]);
    expect(await faults('text', done)).toEqual([
      expect.stringMatching(/^\/until: is neither a JSON Schema nor one of verdicts-clear, /),
      [expect.objectContaining({ pointer: '/until' })],
    ]);
    expect(await faults(done, { enum: ['x'.repeat(300_000)] })).toEqual([
      expect.stringMatching(/^\/fail_on: The schema has more than/),
      '/fail_on',
    ]);
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `d${String(i)}`,
        { anyOf: [{ $ref: `#/$defs/d${String(i + 1)}` }, { $ref: `#/$defs/d${String(i + 1)}` }] },
      ]),
    );
    expect(await wait({ $defs: { ...doubling, d40: false }, $ref: '#/$defs/d0' })).toBe('schema_too_complex');
    expect(harness.dump()).toBe(before);
  });

  it('is bounded in number, and gives the place back', async () => {
    const stop = new AbortController();
    const wait = () => states().wait(id, { until: done, timeout_ms: 60_000 }, stop.signal);
    const two = [wait(), wait()];
    await new Promise((resolve) => setTimeout(resolve, 20));
    const third = failure(await wait());
    expect(third).toMatchObject({ error: 'overloaded', members: { limit: 'conditionWaitsMax', maximum: 2 } });
    stop.abort();
    await Promise.all(two);
    must(await states().wait(id, { until: done }));
  });

  it('reaches only the caller’s own tree', async () => {
    must(await harness.operator.sessions.create({ session_name: 'stranger', external: true }));
    const stranger = await harness.as('stranger');
    expect(failure(await stranger.states.wait(id, { until: done })).error).toBe('state_not_found');
    expect(failure(await stranger.states.get(id, undefined, { afterVersion: 1 })).error).toBe(
      'state_not_found',
    );
  });
});
