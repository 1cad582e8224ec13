// The main job: a child records its result, and its parent hears of it. On any database.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../../support/alive.js';
import { STORY_MS_MAX } from '../../support/eventually.js';
import { Stage } from '../../support/stage.js';
import { Tree } from '../tree.js';
import { parts } from '../parts.js';

/** @param newDatabase - Creates a database for the coordinator. Default: a file. */
export function completionStories(name: string, newDatabase?: () => Promise<string>): void {
  describe.concurrent(`a child of a parent that sleeps, on ${name}`, { timeout: STORY_MS_MAX }, () => {
    let stage: Stage;
    beforeAll(async () => {
      const db = await newDatabase?.();
      const serve = ['--update-retry-delay-ms', '20'];
      stage = await Stage.open(db === undefined ? { serve } : { serve, db });
      stage.agents.cast(parts);
    });
    afterAll(async () => {
      const doctor = await stage.command('doctor');
      await stage.close();
      expect(doctor).toMatchObject({ code: 0, stdout: 'All is well.\n' });
    });

    it('records its result when it is asked to, and its parent hears of it only then', async () => {
      const tree = await Tree.grow(stage, [{ name: 'asked', part: 'dutiful' }]);
      const [callback] = await tree.told();
      expect(callback!.told).toContain('dutiful prose');
      expect(callback!.told).toContain('state_update="completed"');
      expect(callback!.document).toEqual({ asked: { by: 'asked' } });
      expect(await tree.completion('asked')).toMatchObject({
        state_update_status: 'completed',
        attempts: [{ outcome: 'recorded', prompt_level: 1 }],
      });
      await tree.delivered(1);
    });

    it('is not asked where it has written before and that is enough', async () => {
      const completion = {
        mode: 'unless_satisfied' as const,
        contract: { pointer: '/early', schema: { type: 'object', required: ['by'] } },
      };
      const tree = await Tree.grow(stage, [{ name: 'early', part: 'eager', completion }]);
      const [callback] = await tree.told();
      expect(callback!.told).toContain('state_update="completed"');
      expect(await tree.completion('early')).toMatchObject({
        state_update_status: 'completed',
        attempts: [],
      });
      expect((await tree.runs('early')).map((run) => run.purpose)).toEqual(['work']);
    });

    it('fails after three prompts, and the result of its work is delivered all the same', async () => {
      const tree = await Tree.grow(stage, [{ name: 'forgets', part: 'forgetful' }]);
      const [callback] = await tree.told();
      expect(callback!.told).toContain('state_update="failed"');
      expect(callback!.told).toContain('lots of prose');
      expect(callback!.told).not.toContain('sorry');
      const prompts = stage.agents.notes('forgets').flatMap(({ asked }) => asked ?? []);
      expect(prompts).toEqual([
        expect.stringContaining('attempt="1" of="3"'),
        expect.stringContaining('attempt="2" of="3"'),
        expect.stringMatching(/attempt="3" of="3"[^]*LAST CALL/),
      ]);
    });

    it('is told what was wrong with what it wrote, and may do better', async () => {
      const completion = { contract: { pointer: '/clumsy', schema: { type: 'object', required: ['by'] } } };
      const tree = await Tree.grow(stage, [{ name: 'clumsy', part: 'clumsy', completion }]);
      const [callback] = await tree.told();
      expect(callback!.told).toContain('state_update="completed"');
      expect(await tree.completion('clumsy')).toMatchObject({
        attempts: [
          { outcome: 'contract_failed', errors: [{ keyword: 'required' }] },
          { outcome: 'recorded', errors: [] },
        ],
      });
      expect(stage.agents.notes('clumsy').at(-1)!.asked).toContain('the member "by" is missing');
    });

    it('is let go when the operator skips it, and the run that asked it is ended', async () => {
      const tree = await Tree.grow(stage, [{ name: 'lingers', part: 'lingering' }]);
      await tree.reached('lingers', 'asked');
      const skipped = await stage.command('session', 'skip', 'lingers', '--reason', 'not worth it');
      expect(skipped.code).toBe(0);
      const [callback] = await tree.told();
      expect(callback!.told).toContain('state_update="skipped"');
      expect(callback!.told).toContain('not worth it');
      await tree.reached('lingers', 'ended');
    });

    it('is not asked in mode never', async () => {
      const tree = await Tree.grow(stage, [
        { name: 'free', part: 'forgetful', completion: { mode: 'never' } },
      ]);
      const [callback] = await tree.told();
      expect(callback!.told).toContain('state_update="skipped"');
      expect(callback!.told).toContain('lots of prose');
      expect((await tree.runs('free')).map((run) => run.purpose)).toEqual(['work']);
    });

    it('has its attempt ended when it takes too long to record', async () => {
      const completion = { timeout_ms: 300, max_attempts: 1 };
      const tree = await Tree.grow(stage, [{ name: 'dawdles', part: 'lingering', completion }]);
      const [callback] = await tree.told();
      expect(callback!.told).toContain('did not answer in time');
      expect(await tree.completion('dawdles')).toMatchObject({ attempts: [{ outcome: 'timed_out' }] });
    });

    it('is asked to record although its work ran out of time', async () => {
      const tree = await Tree.grow(stage, [{ name: 'endless', part: 'endless', timeout_ms: 300 }]);
      const [callback] = await tree.told();
      expect(callback!.told).toContain('ran out of time');
      expect(callback!.told).toContain('state_update="completed"');
      expect((await tree.runs('endless')).map((run) => run.status)).toEqual(['timed_out', 'completed']);
    });

    it('is asked to record although its work failed', async () => {
      const tree = await Tree.grow(stage, [{ name: 'breaks', part: 'failing' }]);
      const [callback] = await tree.told();
      expect(callback!.told).toContain('outcome="failed"');
      expect(callback!.told).toContain('state_update="completed"');
      expect((await tree.runs('breaks')).map((run) => run.status)).toEqual(['failed', 'completed']);
    });

    it('is ended with all of its processes when its run is stopped', async () => {
      const tree = await Tree.grow(stage, [{ name: 'stops', part: 'endless' }]);
      const { pids } = await tree.reached('stops', 'pids');
      const [run] = await tree.runs('stops');
      expect((await stage.command('run', 'stop', run!.run_id)).code).toBe(0);
      const [callback] = await tree.told();
      expect(callback!.told).toContain('was stopped');
      expect(callback!.told).toContain('state_update="skipped"');
      expect(pids).toHaveLength(2);
      expect(pids!.filter(isAlive)).toEqual([]);
      expect(stage.agents.notes('stops').at(-1)!.ended).toBe('SIGTERM');
    });
  });
}
