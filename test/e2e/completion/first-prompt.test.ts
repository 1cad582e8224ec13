// A child records its result from its first prompt alone, by a real runner and the real command line, and its parent
// reads of it in the summary of the state.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtProgram } from '../../support/built-program.js';
import { STORY_MS_MAX } from '../../support/eventually.js';
import { must, Stage } from '../../support/stage.js';

const VERDICT = {
  type: 'object',
  required: ['verdict', 'files'],
  properties: {
    verdict: { enum: ['pass', 'fail'] },
    files: { type: 'array', minItems: 1, items: { type: 'string' } },
  },
};

describe('a child whose agent only runs the call of its first prompt', { timeout: STORY_MS_MAX }, () => {
  let stage: Stage;
  beforeAll(async () => {
    const program = `'${process.execPath}' '${await builtProgram()}'`;
    const call = `sed -n 's/^Record it by the command: //p'`;
    const agent = `call="$(${call})"; countersign() { ${program} "$@"; }; eval "$call"`;
    stage = await Stage.open({ runner: ['--exec', agent] });
    must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  });
  afterAll(async () => {
    const doctor = await stage.command('doctor');
    await stage.close();
    expect(doctor).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });

  async function play(of: string, ...flags: readonly string[]) {
    const [parent, child] = [`parent-${of}`, `child-${of}`];
    must(await stage.operator.sessions.create({ session_name: parent, external: true }));
    const body = { schema_name: 'any', initial_data: { plan: of }, root_session_name: parent };
    must(await stage.operator.states.create(body));
    const contract = JSON.stringify({ pointer: "/reviews/it's", schema: VERDICT });
    const ran = await stage.command(
      ...['session', 'start', '--parent', parent, '--name', child, '--prompt', 'Review it.', '--callback'],
      ...['--contract', contract, '--mode', 'unless_satisfied', '--max-attempts', '1', '--wait', ...flags],
    );
    const pulled = await stage.command('callback', 'pull', parent, '--wait', '30s');
    return { ran, pulled, completion: must(await stage.operator.sessions.completion(child)) };
  }

  it('has recorded its result before it is asked', async () => {
    const { ran, pulled, completion } = await play('told');
    expect(ran).toMatchObject({ code: 0 });
    expect(completion).toMatchObject({ state_update_status: 'completed', attempts: [] });
    expect(pulled.stdout.match(/The workflow state now \(version 2\)/g)).toHaveLength(1);
    expect(pulled.stdout).toMatch(/"members":\[\n{"pointer":"\/reviews","version":2,.*\n{"pointer":"\/plan"/);
  });

  it('records nothing where the block is turned off', async () => {
    const { ran, completion } = await play('untold', '--state-context', 'off');
    expect(ran).toMatchObject({ code: 1 });
    expect(completion).toMatchObject({ state_update_status: 'failed', attempts: [{ outcome: 'no_write' }] });
  });
});
