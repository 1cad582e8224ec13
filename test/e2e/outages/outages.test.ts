import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { isAlive } from '../../support/alive.js';
import { eventually, STORY_MS_MAX } from '../../support/eventually.js';
import { must, Stage, type StageOptions } from '../../support/stage.js';
import { parts } from '../parts.js';
import { Tree } from '../tree.js';

/** Long enough for a busy machine, short enough to wait for. */
const LEASE_MS = 3000;
const SHORT_LEASE: StageOptions = { serve: ['--lease-ms', String(LEASE_MS)] };

describe.concurrent('while a run goes on', { timeout: STORY_MS_MAX }, () => {
  async function open({ onTestFinished }: TestContext, options: StageOptions = {}) {
    const stage = await Stage.open(options);
    onTestFinished(() => stage.close());
    stage.agents.cast(parts);
    return stage;
  }
  const letGo = (stage: Stage) => writeFileSync(join(stage.dir, 'go-worker'), '');

  it('a runner may be slower than its lease to report, as long as it lives', async (context) => {
    const stage = await open(context, SHORT_LEASE);
    const tree = await Tree.grow(stage, [{ name: 'worker', part: 'patient' }]);
    const { at } = await tree.reached('worker', 'began');
    await eventually('two leases have passed', () => Date.now() - at > 2 * LEASE_MS);
    letGo(stage);
    await tree.told();
    expect((await tree.runs('worker')).map((run) => [run.status, run.attempt])).toEqual([
      ['completed', 1],
      ['completed', 1],
    ]);
  });

  it('a runner may be killed: the run is done again, and the child is not blamed', async (context) => {
    const stage = await open(context, SHORT_LEASE);
    const tree = await Tree.grow(stage, [{ name: 'worker', part: 'patient' }]);
    await tree.reached('worker', 'began');
    await tree.session(tree.root, (root) => root.status === 'finished');
    await stage.runner.end('SIGKILL');
    await stage.startRunner();
    letGo(stage);
    const [callback] = await tree.told();
    expect(callback!.told).toContain('patient prose of worker');
    expect(callback!.told).toContain('state_update="completed"');
    expect((await tree.runs('worker'))[0]).toMatchObject({ status: 'completed', attempt: 2 });
    expect((await tree.completion('worker')).attempts).toHaveLength(1);
    expect(await tree.callbacks()).toHaveLength(1);
  });

  it('a runner that was thought dead has lost its lease', async (context) => {
    const stage = await open(context, { ...SHORT_LEASE, runner: null });
    const register = () =>
      stage.operator.runners.register({ hostname: 'here', executor_types: ['command'], max_concurrent: 1 });
    const poll = async (runnerId: string) =>
      eventually('a run is handed out', async () => {
        const work = await stage.operator.runners.poll({ runnerId, waitMs: 1000 });
        return must(work).runs[0];
      });
    must(await stage.operator.runs.create({ type: 'start_session', session_name: 'worker', prompt: 'go' }));
    const [slow, quick] = [must(await register()), must(await register())];
    const lost = await poll(slow.runner_id);
    const taken = await poll(quick.runner_id);
    expect([lost.attempt, taken.attempt]).toEqual([1, 2]);
    expect(slow.heartbeat_interval_ms).toBeLessThan(LEASE_MS / 2);
    const late = await stage.operator.runners.completed(lost.run_id, {
      runner_id: slow.runner_id,
      attempt: lost.attempt,
      lease_token: lost.lease_token,
      result_text: 'too late',
    });
    expect(late).toMatchObject({ ok: false, failure: { error: 'lease_lost' } });
    must(
      await stage.operator.runners.completed(taken.run_id, {
        runner_id: quick.runner_id,
        attempt: taken.attempt,
        lease_token: taken.lease_token,
        result_text: 'in time',
      }),
    );
    expect(must(await stage.operator.sessions.result('worker')).result_text).toBe('in time');
  });

  it('a coordinator may be ended and started again', async (context) => {
    const stage = await open(context);
    const tree = await Tree.grow(stage, [{ name: 'worker', part: 'patient' }]);
    const { began } = await tree.reached('worker', 'began');
    await tree.session(tree.root, (root) => root.status === 'finished');
    expect((await stage.coordinator.end('SIGTERM')).code).toBe(0);
    letGo(stage);
    await eventually('the agent has ended its work', () => !isAlive(began!));
    await stage.startCoordinator();
    const [callback] = await tree.told();
    expect(callback!.told).toContain('patient prose of worker');
    expect(callback!.told).toContain('state_update="completed"');
    expect((await tree.runs('worker')).map((run) => run.attempt)).toEqual([1, 1]);
    expect((await stage.command('doctor')).code).toBe(0);
  });

  it('a coordinator with a runner beside it lets the run end before it ends itself', async (context) => {
    const stage = await open(context, { runner: null });
    await stage.coordinator.end('SIGTERM');
    const beside = ['--runner', '--exec', stage.agents.exec, '--project-dir', stage.dir];
    await stage.startCoordinator(beside);
    const tree = await Tree.grow(stage, [{ name: 'worker', part: 'patient' }]);
    await tree.reached('worker', 'began');
    await tree.session(tree.root, (root) => root.status === 'finished');
    const ending = stage.coordinator.end('SIGTERM');
    letGo(stage);
    expect(await ending).toMatchObject({ code: 0, stderr: '' });
    await stage.startCoordinator(beside);
    const [callback] = await tree.told();
    expect(callback!.told).toContain('patient prose of worker');
    expect((await tree.runs('worker')).map((run) => run.attempt)).toEqual([1, 1]);
  });
});
