// Processes that stand still for longer than a lease: stopped by a signal, as by a debugger or a closed lid.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, pause, STORY_MS_MAX } from '../../support/eventually.js';
import { must, Stage } from '../../support/stage.js';
import { parts } from '../parts.js';
import { Tree } from '../tree.js';

const LEASE_MS = 1000;
const SHORT_LEASE = ['--lease-ms', String(LEASE_MS)];

describe.concurrent('a process that stands still', { timeout: STORY_MS_MAX }, () => {
  it('as the coordinator, takes no run from its runner and spends no attempt', async ({ onTestFinished }) => {
    const flags = [...SHORT_LEASE, '--run-unclaimed-ms', '2000'];
    const stage = await Stage.open({ serve: flags });
    onTestFinished(() => stage.close());
    stage.agents.cast(parts);
    const tree = await Tree.grow(stage, [{ name: 'worker', part: 'patient' }]);
    await tree.reached('worker', 'began');
    await tree.session(tree.root, (root) => root.status === 'finished');
    // It fits no runner, and waits.
    const waiting = must(
      await stage.operator.runs.create({
        type: 'start_session',
        session_name: 'waits',
        prompt: 'x',
        demands: { tags: ['none has it'] },
      }),
    );
    stage.coordinator.signal('SIGSTOP');
    await pause(3 * LEASE_MS);
    stage.coordinator.signal('SIGCONT');
    expect(must(await stage.operator.runs.get(waiting.run_id)).status).toBe('pending');
    writeFileSync(join(stage.dir, 'go-worker'), '');
    await tree.told();
    expect((await tree.runs('worker')).map((run) => [run.status, run.attempt])).toEqual([
      ['completed', 1],
      ['completed', 1],
    ]);
    expect(stage.agents.notes('worker').filter((note) => note.began !== undefined)).toHaveLength(1);
    expect((await tree.completion('worker')).attempts).toHaveLength(1);
    expect(stage.coordinator.log).toContain('the process was suspended');
  });

  it('as a runner, does not begin a run that was given to another one meanwhile', async ({
    onTestFinished,
  }) => {
    const stage = await Stage.open({ serve: SHORT_LEASE });
    onTestFinished(() => stage.close());
    stage.agents.cast(parts);
    const first = stage.runner;
    await eventually('it asks for runs', async () => {
      const [runner] = must(await stage.operator.runners.list()).items;
      return runner !== undefined && runner.last_seen_at > runner.created_at;
    });
    first.signal('SIGSTOP');
    const { run_id } = must(
      await stage.operator.runs.create({
        type: 'start_session',
        session_name: 'worker',
        agent_name: 'patient',
        prompt: 'x',
      }),
    );
    const run = async () => must(await stage.operator.runs.get(run_id));
    await eventually(
      'it is handed to the one that stands still',
      async () => (await run()).status === 'claimed',
    );
    await stage.startRunner();
    await eventually('it has begun elsewhere', () =>
      stage.agents.notes('worker').some((note) => note.began !== undefined),
    );
    first.signal('SIGCONT');
    await eventually('the first one finds out', () => /held by another|lost/.test(first.log));
    writeFileSync(join(stage.dir, 'go-worker'), '');
    await eventually('it has ended', async () => (await run()).status === 'completed');
    expect(stage.agents.notes('worker').filter((note) => note.began !== undefined)).toHaveLength(1);
    expect((await run()).attempt).toBe(2);
  });
});
