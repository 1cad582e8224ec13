import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, STORY_MS_MAX } from '../../support/eventually.js';
import { must, Stage } from '../../support/stage.js';
import { parts } from '../parts.js';
import { Tree } from '../tree.js';

describe.concurrent('a parent', { timeout: STORY_MS_MAX }, () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({ serve: ['--update-retry-delay-ms', '20'] });
    stage.agents.cast(parts);
  });
  afterAll(async () => {
    const doctor = await stage.command('doctor');
    await stage.close();
    expect(doctor).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });

  const letGo = (name: string) => writeFileSync(join(stage.dir, `go-${name}`), '');

  it('is asked to record only when the child that it awaits is done', async () => {
    const tree = await Tree.grow(stage, [{ name: 'middle', part: 'delegating' }]);
    const [delivered] = await tree.told();
    expect(delivered!.told).toContain('all that is below is done');
    const [fromBelow] = stage.agents.notes('middle');
    expect(fromBelow!.told).toContain('dutiful prose of middle-deep');
    expect((await tree.runs('middle')).map((run) => run.purpose)).toEqual([
      'work',
      'callback',
      'state_update',
    ]);
    expect(delivered!.document).toEqual({ 'middle-deep': { by: 'middle-deep' }, middle: { by: 'middle' } });
  });

  it('that is busy is told of several children in one resume, when it has ended', async () => {
    const names = ['one', 'two', 'three'];
    const tree = await Tree.grow(
      stage,
      names.map((name) => ({ name, part: 'eager', completion: { mode: 'unless_satisfied' } })),
      names.length,
    );
    const [deliveredCallbacks] = await tree.told();
    expect(
      [...deliveredCallbacks!.told!.matchAll(/<agent-callback child="[a-z]+"/g)].map(String).toSorted(),
    ).toEqual([
      '<agent-callback child="one"',
      '<agent-callback child="three"',
      '<agent-callback child="two"',
    ]);
    const callbacks = await tree.delivered(3);
    expect(new Set(callbacks.map((one) => one.run_id)).size).toBe(1);
    await tree.session(tree.root, (root) => root.status === 'finished');
    expect(stage.agents.notes(tree.root)).toHaveLength(1);
  });

  it('that was stopped leaves a dead letter, and gets it when it is redelivered', async () => {
    const completion = { mode: 'never' as const };
    const tree = await Tree.grow(stage, [{ name: 'orphan', part: 'patient', completion }]);
    await tree.reached('orphan', 'began');
    await tree.session(tree.root, (root) => root.status === 'finished');
    must(await stage.operator.sessions.stop(tree.root));
    letGo('orphan');
    const dead = await eventually('the callback is dead', async () =>
      (await tree.callbacks()).find((one) => one.status === 'dead'),
    );
    expect(dead.reason).toContain('stopped');
    expect((await stage.command('callback', 'list', '--status', 'dead')).stdout).toContain(dead.callback_id);
    expect((await stage.command('callback', 'redeliver', dead.callback_id)).code).toBe(0);
    const [read] = await tree.told();
    expect(read!.told).toContain('patient prose of orphan');
    await tree.delivered(1);
  });

  it('that gives a finished child new work is called back a second time', async () => {
    const tree = await Tree.grow(stage, [{ name: 'again', part: 'dutiful' }]);
    await tree.told();
    await tree.session(tree.root, (root) => root.status === 'finished');
    must(
      await stage
        .as(tree.root)
        .runs.create({ type: 'resume_session', session_name: 'again', prompt: 'more', callback: true }),
    );
    const [first, second] = await tree.told(2);
    const [work, , more] = await tree.runs('again');
    expect(first!.told).toContain(`in run ${work!.run_id}`);
    expect(second!.told).toContain(`in run ${more!.run_id}`);
    expect(must(await stage.operator.sessions.get('again')).generation).toBe(2);
    await tree.delivered(2);
  });
});
