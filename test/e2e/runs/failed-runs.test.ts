// A run that fails says why wherever somebody looks: in both logs, where somebody waits for it, and in its resource.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, STORY_MS_MAX } from '../../support/eventually.js';
import { Program } from '../../support/program.js';
import { must, Stage } from '../../support/stage.js';

const WHY = 'the disk of the agent is full';

/** Lines of a log, as JSON. */
const lines = (log: string) =>
  log.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));

describe('a failed run', { timeout: STORY_MS_MAX }, () => {
  let stage: Stage;
  let runner: Program;
  beforeAll(async () => {
    stage = await Stage.open({ runner: null });
    const own = ['--url', stage.url, '--project-dir', stage.dir, '--log-level', 'warn'];
    runner = await Program.start(['runner', ...own, '--exec', `echo '${WHY}' >&2; exit 3`]);
    await runner.printed(/is ready for/);
  });
  afterAll(async () => {
    await runner.end('SIGKILL');
    await stage.close();
  });

  it('tells its cause and its error to whoever waits for it', async () => {
    const ended = await stage.command('session', 'start', '--name', 'waited', '--prompt', 'go', '--wait');
    expect(ended.code).not.toBe(0);
    const [run] = must(await stage.operator.runs.list({ session: 'waited' })).items;
    expect(ended.stderr).toMatch(/^Session failed\.$/m);
    expect(ended.stderr).toContain(`Run ${run?.run_id} (work) failed (cause agent): `);
    expect(ended.stderr).toContain(WHY);
    expect(run).toMatchObject({ status: 'failed', cause: 'agent', error: expect.stringContaining(WHY) });
    const shown = await stage.command('run', 'show', run?.run_id ?? '');
    expect(shown.stdout).toMatch(/^cause +agent$/m);
  });

  it('stands in the logs of the runner and of the coordinator', async () => {
    must(await stage.operator.runs.create({ type: 'start_session', session_name: 'logged', prompt: 'go' }));
    const why = {
      session: 'logged',
      attempt: 1,
      cause: 'agent',
      msg: 'run failed',
      error: expect.stringContaining(WHY),
    };
    for (const { log } of [runner, stage.coordinator].map((program) => ({ log: () => program.log }))) {
      const line = await eventually('it is logged', () =>
        lines(log()).find(({ session, msg }) => session === 'logged' && msg === 'run failed'),
      );
      expect(line).toMatchObject(why);
    }
  });

  it('is told with what its completion came to, where a result was asked for', async () => {
    must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    must(await stage.operator.sessions.create({ session_name: 'root', external: true }));
    must(await stage.as('root').states.create({ schema_name: 'any', initial_data: {} }));
    const terms = ['--parent', 'root', '--max-attempts', '1', '--contract', '{"pointer":"/a","schema":{}}'];
    const start = ['session', 'start', '--name', 'asked', '--prompt', 'go', ...terms, '--wait'];
    const { code, stderr } = await stage.command(...start);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/^Run run_\w+ \(state_update\) failed \(cause agent\): /m);
    expect(stderr).toMatch(/^State update: /m);
  });
});
