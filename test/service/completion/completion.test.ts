import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/domain/json/json.js';
import { must, openHarness, PlayedRunner, failure, type Harness } from '../harness.js';

const SCHEMA = {
  type: 'object',
  properties: { tasks: { type: 'object', additionalProperties: { type: 'object' } } },
  required: ['tasks'],
};
const CONTRACT = { type: 'object', properties: { files: { type: 'integer' } }, required: ['files'] };

describe('the two-phase completion', () => {
  let harness: Harness;
  let runner: PlayedRunner;
  let stateId: string;

  beforeEach(async () => {
    harness = await openHarness();
    runner = await PlayedRunner.register(harness);
    must(await harness.operator.schemas.register({ name: 'review', json_schema: SCHEMA }));
    must(
      await harness.operator.runs.create({
        type: 'start_session',
        session_name: 'root',
        prompt: 'orchestrate',
      }),
    );
    const root = await harness.as('root');
    stateId = must(await root.states.create({ schema_name: 'review', initial_data: { tasks: {} } })).state_id;
  });
  afterEach(async () => {
    expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
    await harness.close();
  });

  async function startChild(name: string, completion: object = {}) {
    const root = await harness.as('root');
    must(
      await root.runs.create({
        type: 'start_session',
        session_name: name,
        prompt: `work as ${name}`,
        callback: true,
        completion: {
          contract: { pointer: `/tasks/${name}`, schema: CONTRACT },
          write_scope: [`/tasks/${name}`],
          ...completion,
        },
      }),
    );
  }

  async function callbacks() {
    return must(await harness.operator.callbacks.list({})).items;
  }

  async function status(name: string) {
    return must(await harness.operator.sessions.get(name)).state_update_status;
  }

  async function writeResult(name: string, value: JsonValue) {
    const child = await harness.as(name);
    return child.states.patch(stateId, [{ op: 'add', path: `/tasks/${name}`, value }], {});
  }

  it('resumes a child to record its result, and its parent only then', async () => {
    const rootRun = await runner.take('root');
    await startChild('a');
    const work = await runner.take('a');
    await runner.complete(rootRun, 'sleeping');
    await runner.complete(work, 'I counted 7 files');
    expect(await status('a')).toBe('pending');
    expect((await callbacks())[0]!.status).toBe('held');

    const update = await runner.take('a');
    expect(update.purpose).toBe('state_update');
    expect(update.prompt).toContain('<state-update-request attempt="1" of="3"');
    must(await writeResult('a', { files: 7 }));
    expect(await status('a')).toBe('completed');
    expect((await callbacks())[0]!.status).toBe('held');
    await runner.complete(update, 'recorded');

    const resume = await runner.take('root');
    expect(resume.purpose).toBe('callback');
    expect(resume.prompt).toContain('I counted 7 files');
    expect(resume.prompt).toContain('state_update="completed"');
    expect(resume.metadata).toMatchObject({
      callback_source: 'a',
      workflow_state_version: 2,
      state_update_status: 'completed',
    });
    await runner.complete(resume);
    const delivered = await callbacks();
    expect(delivered).toHaveLength(1);
    expect(delivered[0]!.status).toBe('delivered');
    expect(must(await harness.operator.sessions.result('a')).result_text).toBe('I counted 7 files');
  });

  it('asks three times, each time stronger, and then delivers the kept result as failed', async () => {
    await runner.complete(await runner.take('root'));
    await startChild('a');
    await runner.complete(await runner.take('a'), 'lots of prose');
    for (const attempt of [1, 2, 3]) {
      const update = await runner.take('a');
      expect(update.prompt).toContain(`attempt="${String(attempt)}" of="3"`);
      if (attempt === 2) expect(failure(await writeResult('a', 'seven')).error).toBe('validation_failed');
      if (attempt === 3) expect(update.prompt).toContain('LAST CALL');
      await runner.complete(update, 'sorry');
      await harness.pass(5000);
    }
    expect(await status('a')).toBe('failed');
    const resume = await runner.take('root');
    expect(resume.prompt).toContain('NOT recorded');
    expect(resume.prompt).toContain('lots of prose');
  });

  it.each([
    [
      'contract_failed',
      { other: 7 },
      'WARNING: its result is NOT recorded in the workflow state. The child wrote, but',
    ],
  ])('says %s of a write that leaves %j as it is', async (outcome, value, expected) => {
    await runner.complete(await runner.take('root'));
    await startChild('a', { max_attempts: 2, retry_delay_ms: 0 });
    const work = await runner.take('a');
    must(await writeResult('a', value));
    await runner.complete(work);
    for (let asked = 0; asked < 2; asked += 1) {
      const update = await runner.take('a');
      expect(must(await writeResult('a', value))).toMatchObject({ version: 2, changed: false });
      await runner.complete(update);
      await harness.pass(0);
    }
    const { attempts } = must(await harness.operator.sessions.completion('a'));
    expect(attempts.map((one) => one.outcome)).toEqual([outcome, outcome]);
    expect((await runner.take('root')).prompt).toContain(expected);
    expect(must(await harness.operator.states.events(stateId, {})).events).toHaveLength(2);
  });

  it.each<[string, object | undefined, 'mine' | 'theirs', string]>([
    ['a contract holds by it', undefined, 'mine', 'completed'],
    ['there is no contract', { contract: undefined }, 'mine', 'pending'],
    ['another one has put the value there', undefined, 'theirs', 'pending'],
  ])('where %s, the same value once more makes it %s', async (_title, over, last, becomes) => {
    await runner.complete(await runner.take('root'));
    await startChild('a', { retry_delay_ms: 0, ...over });
    const work = await runner.take('a');
    must(await writeResult('a', { files: 7 }));
    await runner.complete(work);
    const update = await runner.take('a');
    if (last === 'theirs') {
      const other = { op: 'replace', path: '/tasks/a', value: { files: 8 } } as const;
      must(await harness.operator.states.patch(stateId, [other], {}));
    }
    const value = last === 'mine' ? { files: 7 } : { files: 8 };
    const { version } = must(await harness.operator.states.get(stateId));
    expect(must(await writeResult('a', value))).toMatchObject({ version, changed: false });
    expect(await status('a')).toBe(becomes);
    await runner.complete(update);
    await harness.pass(0);
    expect(await status('a')).toBe(becomes);
    const { attempts } = must(await harness.operator.sessions.completion('a'));
    expect(attempts[0]?.outcome).toBe(becomes === 'completed' ? 'recorded' : 'no_write');
  });

  it('tells a busy parent about several children in one resume', async () => {
    const rootRun = await runner.take('root');
    for (const name of ['a', 'b', 'c']) await startChild(name, { mode: 'unless_satisfied' });
    const runs = await runner.claim();
    for (const run of runs) await runner.start(run);
    for (const run of runs) {
      must(await writeResult(run.session_name, { files: 1 }));
      await runner.complete(run);
    }
    expect(await runner.claim()).toEqual([]);
    expect((await callbacks()).map((one) => one.status)).toEqual(['queued', 'queued', 'queued']);
    await runner.complete(rootRun);
    const resume = await runner.take('root');
    expect(resume.prompt.match(/<agent-callback /g)).toHaveLength(3);
    await runner.complete(resume);
    expect((await callbacks()).map((one) => one.status)).toEqual(['delivered', 'delivered', 'delivered']);
    expect(await runner.claim()).toEqual([]);
  });

  it('tells a busy parent although an operator has looked at its callbacks meanwhile', async () => {
    const rootRun = await runner.take('root');
    await startChild('a', { mode: 'never' });
    await runner.complete(await runner.take('a'), 'I counted 7 files');
    const seen = must(await harness.operator.sessions.pullCallbacks('root', 60_000));
    expect(seen.items).toMatchObject([{ status: 'queued', delivered_at: null }]);
    await runner.complete(rootRun);
    expect((await runner.take('root')).prompt).toContain('I counted 7 files');
  });

  it('does not tell it again of what it has pulled itself, unless the run that pulled is lost', async () => {
    await runner.take('root');
    await startChild('a', { mode: 'never' });
    await runner.complete(await runner.take('a'), 'I counted 7 files');
    const root = await harness.as('root');
    expect(must(await root.sessions.pullCallbacks('root', 0)).items).toMatchObject([{ status: 'delivered' }]);
    await harness.pass(40_000);
    expect((await callbacks())[0]).toMatchObject({ status: 'queued' });
    await runner.complete(await runner.take('root'));
    expect((await runner.take('root')).prompt).toContain('I counted 7 files');
  });

  it('waits for a grandchild before its parent is asked to record', async () => {
    await runner.complete(await runner.take('root'));
    await startChild('a');
    const work = await runner.take('a');
    const a = await harness.as('a');
    must(await a.runs.create({ type: 'start_session', session_name: 'b', prompt: 'deep', callback: true }));
    const deep = await runner.take('b');
    await runner.complete(work, 'waiting for b');
    expect(await status('a')).toBeNull();
    await runner.complete(deep, 'deep result');
    const update = await runner.take('b');
    const b = await harness.as('b');
    must(await b.states.patch(stateId, [{ op: 'add', path: '/tasks/a', value: {} }], {}));
    await runner.complete(update);
    const resume = await runner.take('a');
    expect(resume.prompt).toContain('deep result');
    await runner.complete(resume, 'now I am done');
    expect(await status('a')).toBe('pending');
    must(await writeResult('a', { files: 3 }));
    await harness.pass(0);
    const found = await runner.take('root');
    expect(found.prompt).toContain('now I am done');
  });

  it('turns the callback of a stopped parent into a dead letter that can be redelivered', async () => {
    await runner.complete(await runner.take('root'));
    await startChild('a', { mode: 'never' });
    const work = await runner.take('a');
    must(await harness.operator.sessions.stop('root'));
    await runner.complete(work, 'result for nobody');
    const [dead] = await callbacks();
    expect(dead).toMatchObject({ status: 'dead', reason: expect.stringContaining('stopped') });
    must(await harness.operator.callbacks.redeliver(dead!.callback_id));
    const resume = await runner.take('root');
    expect(resume.prompt).toContain('result for nobody');
  });

  it('does not count a runner that was lost as an attempt of the child', async () => {
    await runner.complete(await runner.take('root'));
    await startChild('a');
    await runner.complete(await runner.take('a'));
    const lost = await runner.take('a');
    await harness.pass(31_000);
    const again = await runner.take('a');
    expect(again.run_id).toBe(lost.run_id);
    expect(again.attempt).toBe(2);
    expect(failure(await harness.operator.runners.completed(lost.run_id, runner.lease(lost))).error).toBe(
      'lease_lost',
    );
    must(await writeResult('a', { files: 1 }));
    await runner.complete(again);
    expect(must(await harness.operator.sessions.completion('a'))).toMatchObject({
      attempt: 1,
      state_update_status: 'completed',
    });
  });

  it('does not take a runner that was lost as the time went by for a child that was slow', async () => {
    await runner.complete(await runner.take('root'));
    await startChild('a', { max_attempts: 1, timeout_ms: 20_000 });
    await runner.complete(await runner.take('a'));
    const lost = await runner.take('a');
    await harness.pass(20_000);
    expect(must(await harness.operator.runs.get(lost.run_id)).status).toBe('stopping');
    await harness.pass(10_000);
    const again = await runner.take('a');
    expect([again.run_id, again.attempt]).toEqual([lost.run_id, 2]);
    await harness.pass(20_000);
    await harness.operator.runners.heartbeat({
      runner_id: runner.runnerId,
      runs: [{ run_id: again.run_id, attempt: again.attempt, lease_token: again.lease_token }],
    });
    await harness.pass(10_000);
    expect(must(await harness.operator.runs.get(lost.run_id)).status).toBe('timed_out');
    expect((await runner.take('root')).prompt).toContain('The child did not answer in time');
  });

  it('goes on after a restart where it stood', async () => {
    await runner.complete(await runner.take('root'));
    await startChild('a');
    await runner.complete(await runner.take('a'), 'kept');
    await harness.restart();
    const update = await runner.take('a');
    must(await writeResult('a', { files: 1 }));
    await harness.restart();
    await runner.complete(update);
    expect((await runner.take('root')).prompt).toContain('kept');
  });

  it('fails the pending ones at once when three failed in a row for one cause', async () => {
    await runner.complete(await runner.take('root'));
    for (const name of ['a', 'b', 'c', 'd', 'e']) await startChild(name, { max_attempts: 1 });
    const work = await runner.claim();
    for (const run of work) await runner.start(run);
    for (const run of work) await runner.complete(run);
    const updates = await runner.claim();
    for (const run of updates) await runner.start(run);
    for (const run of updates.slice(0, 3)) await runner.complete(run);
    expect(await Promise.all(['a', 'b', 'c', 'd', 'e'].map(status))).toEqual(Array(5).fill('failed'));
    const orders = must(await harness.operator.runners.poll({ runnerId: runner.runnerId, waitMs: 0 }));
    expect(orders.stop_runs).toHaveLength(2);
  });

  it('says by whom a result was broken after it was recorded', async () => {
    await runner.complete(await runner.take('root'));
    await startChild('a');
    await runner.complete(await runner.take('a'));
    const update = await runner.take('a');
    must(await writeResult('a', { files: 1 }));
    must(await harness.operator.states.patch(stateId, [{ op: 'replace', path: '/tasks/a', value: {} }], {}));
    await runner.complete(update);
    const resume = await runner.take('root');
    expect(resume.prompt).toContain('broken since by a write of the operator');
  });

  it('refuses a write outside the scope, whatever its form', async () => {
    await runner.complete(await runner.take('root'));
    await startChild('a');
    await runner.take('a');
    const a = await harness.as('a');
    expect(failure(await a.states.mergePatch(stateId, { tasks: { b: {} } }, {}))).toMatchObject({
      error: 'write_scope_violation',
      members: { pointer: '/tasks/b', allowed: ['/tasks/a'] },
    });
    expect(failure(await a.states.replace(stateId, { tasks: { b: {} } }, {})).error).toBe(
      'write_scope_violation',
    );
    expect(must(await harness.operator.states.get(stateId)).version).toBe(1);
  });
});
