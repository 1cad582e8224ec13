// A child whose client could call no tool: what it gave as its output is written for it.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/domain/json/json.js';
import type { ClaimedRun } from '../../../src/ports/api/index.js';
import { must, openHarness, PlayedRunner, failure, type Harness } from '../harness.js';

let harness: Harness;
let runner: PlayedRunner;
let stateId: string;

const RESULT = { type: 'object', properties: { score: { type: 'integer' } }, required: ['score'] };
const CONTRACT = { pointer: '/results/child', schema: { required: ['score', 'why'] } };

beforeEach(async () => {
  harness = await openHarness();
  runner = await PlayedRunner.register(harness);
  const results = { type: 'object', additionalProperties: RESULT };
  const json_schema = { type: 'object', properties: { results, note: { type: 'string' } } };
  must(await harness.operator.schemas.register({ name: 'results', json_schema }));
  must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
  stateId = must(
    await harness.operator.states.create({
      schema_name: 'results',
      initial_data: {},
      root_session_name: 'root',
    }),
  ).state_id;
});
afterEach(() => harness.close());

/** A child whose work has ended, and that is asked for the first time. */
async function askedChild(completion: JsonObject = {}): Promise<ClaimedRun> {
  must(
    await harness.operator.runs.create({
      type: 'start_session',
      session_name: 'child',
      parent_session_name: 'root',
      prompt: 'Work.',
      completion: { contract: CONTRACT, retry_delay_ms: 0, ...completion },
    }),
  );
  const work = await runner.take('child');
  expect(work.contract).toBeNull();
  await runner.complete(work);
  return runner.take('child');
}

const complete = (run: ClaimedRun, state_value?: JsonValue) =>
  harness.operator.runners.completed(run.run_id, {
    ...runner.lease(run),
    ...(state_value === undefined ? {} : { state_value }),
  });
const data = async () => must(await harness.operator.states.get(stateId));
const events = async () => must(await harness.operator.states.events(stateId, {})).events;
const completion = async () => must(await harness.operator.sessions.completion('child'));

describe('a value that a child was held to give', () => {
  it('stands in its place, as a write of the child that was made on its behalf', async () => {
    const run = await askedChild();
    expect(run.contract).toEqual(CONTRACT);
    must(await complete(run, { score: 1, why: 'seen' }));
    expect((await data()).current_data).toEqual({ results: { child: { score: 1, why: 'seen' } } });
    expect((await events()).at(-1)).toMatchObject({
      kind: 'on_behalf',
      session_id: run.session_id,
      run_id: run.run_id,
      late: false,
    });
    expect(await completion()).toMatchObject({
      state_update_status: 'completed',
      attempts: [{ attempt: 1, outcome: 'recorded' }],
    });
  });

  it('that the workflow schema refuses counts as an attempt, with the reason', async () => {
    const run = await askedChild();
    must(await complete(run, { score: 'high', why: 'seen' }));
    expect((await data()).current_data).toEqual({});
    expect(await events()).toHaveLength(1);
    expect(await completion()).toMatchObject({
      state_update_status: 'pending',
      attempt: 2,
      attempts: [
        {
          attempt: 1,
          outcome: 'contract_failed',
          errors: [expect.objectContaining({ pointer: '/results/child/score' })],
        },
        { attempt: 2, outcome: 'open' },
      ],
    });
    const again = await runner.take('child');
    expect(again.prompt).toContain('/results/child/score');
    must(await complete(again, { score: 2, why: 'seen' }));
    expect(await completion()).toMatchObject({ state_update_status: 'completed' });
  });

  it('that was refused before anybody could look at it counts as an attempt, with the reason', async () => {
    const run = await askedChild();
    const said = 'was refused as it is (invalid_request): /results/child/__proto__: is a name';
    const lease = runner.lease(run);
    must(await harness.operator.runners.completed(run.run_id, { ...lease, state_value_refused: said }));
    expect(await events()).toHaveLength(1);
    expect(await completion()).toMatchObject({
      state_update_status: 'pending',
      attempts: [
        { outcome: 'contract_failed', errors: [{ pointer: '/results/child', message: said }] },
        { outcome: 'open' },
      ],
    });
    const again = await runner.take('child');
    expect(again.prompt).toContain(`/results/child: ${said}`);
    // The report of an attempt that is over says nothing of the next.
    await harness.operator.runners.completed(run.run_id, { ...lease, state_value_refused: 'once more' });
    expect((await completion()).attempts.at(-1)).toMatchObject({ outcome: 'open', errors: [] });
  });

  it('is either there or was refused, and a report with both is', async () => {
    const run = await askedChild();
    const both = { state_value: { score: 1, why: 'seen' }, state_value_refused: 'was refused' };
    const before = harness.dump();
    const refusal = failure(
      await harness.operator.runners.completed(run.run_id, { ...runner.lease(run), ...both }),
    );
    expect(refusal).toMatchObject({
      error: 'invalid_request',
      members: { errors: [{ pointer: '/state_value_refused' }] },
    });
    expect(harness.dump()).toBe(before);
  });

  it('that does not fulfil the contract is written, and counts as an attempt', async () => {
    const run = await askedChild();
    must(await complete(run, { score: 1 }));
    expect((await data()).current_data).toEqual({ results: { child: { score: 1 } } });
    expect(await completion()).toMatchObject({
      state_update_status: 'pending',
      attempts: [{ outcome: 'contract_failed' }, { outcome: 'open' }],
    });
  });

  it('outside of its write scope is refused', async () => {
    const run = await askedChild({ write_scope: ['/results/child/score'] });
    must(await complete(run, { score: 1, why: 'seen' }));
    expect((await data()).current_data).toEqual({});
    expect(await completion()).toMatchObject({ state_update_status: 'pending', attempt: 2 });
  });

  it('leaves what others wrote since the child was asked', async () => {
    const run = await askedChild();
    must(
      await harness.operator.states.patch(
        stateId,
        [{ op: 'add', path: '/results', value: { sibling: { score: 9 } } }],
        {},
      ),
    );
    must(await complete(run, { score: 1, why: 'seen' }));
    expect((await data()).current_data).toEqual({
      results: { child: { score: 1, why: 'seen' }, sibling: { score: 9 } },
    });
  });

  it('is an attempt without a write where it is not there', async () => {
    const run = await askedChild();
    must(await complete(run));
    expect(await completion()).toMatchObject({ attempts: [{ outcome: 'no_write' }, { outcome: 'open' }] });
  });

  it('is written once, however often it is reported', async () => {
    const run = await askedChild();
    must(await complete(run, { score: 1, why: 'seen' }));
    const before = harness.dump();
    must(await complete(run, { score: 2, why: 'again' }));
    expect(harness.dump()).toBe(before);
  });

  it('of a runner that lost the run is not written', async () => {
    const run = await askedChild();
    const before = harness.dump();
    const lost = await complete({ ...run, lease_token: 'another' }, { score: 1, why: 'seen' });
    expect(lost).toMatchObject({ ok: false, failure: { error: 'lease_lost' } });
    expect(harness.dump()).toBe(before);
  });

  it('of work is not written: only a request is answered that way', async () => {
    must(
      await harness.operator.runs.create({
        type: 'start_session',
        session_name: 'child',
        parent_session_name: 'root',
        prompt: 'Work.',
        completion: { contract: CONTRACT },
      }),
    );
    must(await complete(await runner.take('child'), { score: 1, why: 'seen' }));
    expect((await data()).current_data).toEqual({});
  });
});
