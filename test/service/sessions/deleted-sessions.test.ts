// Whoever waits for a session that is deleted, or is waited for by one, is told, or ends with a reason.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../support/receiver.js';
import { eventually } from '../../support/eventually.js';
import { must, openHarness, PlayedRunner, failure, type Harness } from '../harness.js';

const DELETED = 'The parent cannot be resumed: it is deleted.';

let harness: Harness;
let runner: PlayedRunner;
beforeEach(async () => {
  harness = await openHarness({}, false, { allow: ['127.0.0.0/8', '::1/128'] });
  must(await harness.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  runner = await PlayedRunner.register(harness);
});
afterEach(async () => {
  expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
  await harness.close();
});

/** A root that pulls, with a state. */
async function root(): Promise<string> {
  must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
  const made = await (await harness.as('root')).states.create({ schema_name: 'any', initial_data: {} });
  return must(made).state_id;
}
const startChild = async (parent: string, child: string) =>
  must(
    await (
      await harness.as(parent)
    ).runs.create({ type: 'start_session', session_name: child, prompt: 'go', callback: true }),
  );
const callbacks = async () =>
  must(await harness.operator.callbacks.list({})).items.map(({ status, metadata, reason }) => [
    metadata.callback_source,
    status,
    reason,
  ]);
const remove = (name: string, cascade = false) => harness.operator.sessions.remove(name, { cascade });
const pulled = async (name: string, waitMs = 0) =>
  must(await harness.operator.sessions.pullCallbacks(name, waitMs)).items;

describe('a child that is deleted', () => {
  it('is told to the parent that awaits it, with the reason', async () => {
    await root();
    must(
      await (
        await harness.as('root')
      ).sessions.create({ session_name: 'child', external: true, callback: true }),
    );
    const waiting = pulled('root', 20_000);
    must(await remove('child'));
    const [found] = await waiting;
    expect(found?.message).toContain('The session was deleted.');
    expect(await callbacks()).toEqual([['child', 'delivered', null]]);
  });

  it('is still named by its id in the lists of its records, and in no list of another tree', async () => {
    await root();
    const { session_id, run_id } = await startChild('root', 'child');
    must(await harness.operator.sessions.stop('child', {}));
    must(await remove('child'));
    must(await harness.operator.sessions.create({ session_name: 'stranger', external: true }));
    const runsFor = async (caller: string | null) => {
      const { runs } = caller === null ? harness.operator : await harness.as(caller);
      return must(await runs.list({ session: session_id })).items.map((run) => run.run_id);
    };
    expect(await runsFor(null)).toEqual([run_id]);
    expect(await runsFor('root')).toEqual([run_id]);
    expect(await runsFor('stranger')).toEqual([]);
    expect(failure(await harness.operator.runs.list({ session: 'child' })).error).toBe('session_not_found');
  });

  it('resumes a parent that a runner runs', async () => {
    must(await harness.operator.runs.create({ type: 'start_session', session_name: 'root', prompt: 'go' }));
    const work = await runner.take('root');
    const own = await harness.as('root');
    must(await own.states.create({ schema_name: 'any', initial_data: {} }));
    must(await own.sessions.create({ session_name: 'child', external: true, callback: true }));
    await runner.complete(work);
    expect(must(await harness.operator.sessions.get('root')).status).toBe('finished');
    must(await remove('child'));
    expect((await runner.take('root')).prompt).toContain('The session was deleted.');
  });

  it('is told at once, though it waits for children of its own, whose callbacks become dead letters', async () => {
    await root();
    await startChild('root', 'child');
    const work = await runner.take('child');
    await startChild('child', 'grandchild');
    await runner.complete(work);
    expect(await pulled('root')).toEqual([]);
    must(await remove('child'));
    expect((await pulled('root'))[0]?.message).toContain('The session was deleted.');

    await runner.complete(await runner.take('grandchild'));
    must(await harness.operator.sessions.skip('grandchild', {}));
    expect(await callbacks()).toContainEqual(['grandchild', 'dead', DELETED]);
  });
});

describe('a parent that is deleted', () => {
  it('leaves its children at work; what they would tell it becomes a dead letter', async () => {
    const stateId = await root();
    await startChild('root', 'child');
    const work = await runner.take('child');
    must(await remove('root'));
    const own = await harness.as('child');
    must(await own.states.patch(stateId, [{ op: 'add', path: '/child', value: 1 }], {}));
    await runner.complete(work);
    const asked = await runner.take('child');
    must(await own.states.patch(stateId, [{ op: 'add', path: '/child', value: 2 }], {}));
    await runner.complete(asked);
    expect(must(await own.sessions.completion('child')).state_update_status).toBe('completed');
    expect(await callbacks()).toEqual([['child', 'dead', DELETED]]);
  });

  it('with cascade ends what its children are asked for, in the same commit', async () => {
    await root();
    await startChild('root', 'child');
    await runner.complete(await runner.take('child'));
    const asked = await runner.take('child');
    expect(asked.purpose).toBe('state_update');
    must(await remove('root', true));
    expect(must(await harness.operator.sessions.completion('child')).state_update_status).toBe('skipped');
    expect(await callbacks()).toEqual([['child', 'dead', DELETED]]);
    await runner.complete(asked);
  });

  it('that waits for callbacks is told at once that it is not there', async () => {
    await root();
    await startChild('root', 'child');
    const waiting = harness.operator.sessions.pullCallbacks('root', 20_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    must(await remove('root'));
    expect(failure(await waiting).error).toBe('session_not_found');
    must(await harness.operator.sessions.stop('child'));
    expect(await callbacks()).toEqual([['child', 'dead', DELETED]]);
  });

  it('is sent nothing at its URL, and the message that was due ends with the reason', async () => {
    const receiver = await Receiver.open();
    receiver.script = () => ({ status: 503 });
    must(
      await harness.operator.sessions.create({
        session_name: 'root',
        external: true,
        delivery: 'webhook',
        callback_url: receiver.url(),
      }),
    );
    must(
      await (
        await harness.as('root')
      ).sessions.create({ session_name: 'child', external: true, callback: true }),
    );
    must(await remove('child'));
    await receiver.got(1);
    must(await remove('root'));
    expect(await callbacks()).toEqual([['child', 'dead', DELETED]]);
    await harness.pass(3_600_000);
    await harness.pass(86_400_000);
    expect(receiver.received).toHaveLength(1);
    await eventually('the message has ended', () =>
      harness.dump().includes('The callback is no longer delivered by this message.'),
    );
    await receiver.close();
  });

  it('is not redelivered to, for it is not there', async () => {
    await root();
    await startChild('root', 'child');
    must(await remove('root'));
    must(await harness.operator.sessions.stop('child'));
    const [callback] = must(await harness.operator.callbacks.list({})).items;
    const before = harness.dump();
    expect(failure(await harness.operator.callbacks.redeliver(callback?.callback_id ?? '')).error).toBe(
      'callback_not_deliverable',
    );
    expect(harness.dump()).toBe(before);
  });
});
