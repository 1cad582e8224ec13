// The workflow record with real processes: children that a runner runs are recorded although nobody writes it down, and an
// orchestrator that is started anew goes on from the record alone.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json/json.js';
import { eventually, pause, STORY_MS_MAX } from '../support/eventually.js';
import { must, Stage } from '../support/stage.js';

const NAMES = ['one', 'two', 'three', 'four', 'five'];

describe('a workflow record', { timeout: STORY_MS_MAX }, () => {
  let stage: Stage;
  beforeAll(async () => {
    const agent = 'cat > /dev/null; sleep 0.3; echo "done by $AGENT_SESSION_NAME"';
    stage = await Stage.open({ runner: ['--exec', agent] });
  });
  afterAll(async () => {
    const doctor = await stage.command('doctor');
    await stage.close();
    expect(doctor).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });

  async function openTree(root: string): Promise<string> {
    must(await stage.operator.sessions.create({ session_name: root, external: true, delivery: 'pull' }));
    const body = { schema_name: 'orchestrator-workflow', initial_data: {}, root_session_name: root };
    return must(await stage.operator.states.create(body)).state_id;
  }

  async function history(stateId: string): Promise<readonly JsonObject[]> {
    const { value } = must(
      await stage.operator.states.getAt(stateId, '/orchestrator_workflow/agent_history'),
    );
    return value as unknown as readonly JsonObject[];
  }

  it('shows each of five children once, with what it said, also where the coordinator is killed', async () => {
    const stateId = await openTree('root');
    for (const name of NAMES) {
      must(
        await stage.operator.runs.create({
          type: 'start_session',
          parent_session_name: 'root',
          session_name: name,
          agent_name: `agent-${name}`,
          prompt: `Do part ${name}.`,
          callback: true,
          completion: { mode: 'never' },
        }),
      );
    }
    for (let kill = 0; kill < 2; kill += 1) {
      await pause(250);
      await stage.coordinator.end('SIGKILL');
      await stage.startCoordinator();
    }
    await eventually('all are released', async () => {
      const found = await history(stateId);
      return found.length === NAMES.length && found.every(({ status }) => status !== 'in_progress');
    });
    const over = await history(stateId);
    expect(over.map(({ agent }) => agent).sort()).toEqual(NAMES.map((name) => `agent-${name}`).sort());
    for (const { agent, status, input, output } of over) {
      const name = NAMES.find((one) => agent === `agent-${one}`) ?? '';
      expect([name, status]).toEqual([name, 'completed']);
      expect((input as JsonObject)['prompt']).toContain(`Do part ${name}.`);
      expect((output as JsonObject)['summary']).toContain(`done by ${name}`);
    }
    const { items } = must(await stage.operator.callbacks.list({ root_session: 'root' }));
    expect(items).toHaveLength(NAMES.length);
  });

  it('tells an orchestrator that is started anew what is owed', async () => {
    const stateId = await openTree('owner');
    const run = (...args: readonly string[]) => stage.command('workflow', ...args);
    for (const [from, to] of [
      ['analyst', 'architect'],
      ['architect', 'implementer'],
    ] as const) {
      const start = await run('start', stateId, '--agent', from, '--prompt', 'Work.', '--id', `inv-${from}`);
      expect(start).toMatchObject({ code: 0 });
      const why = ['--reason', 'it is done', '--context', `see ${from}.md`];
      expect(await run('handoff', stateId, '--from', from, '--to', to, ...why)).toMatchObject({ code: 0 });
      const end = ['--id', `inv-${from}`, '--status', 'completed', '--summary', `${from} is done`];
      expect(await run('complete', stateId, ...end)).toMatchObject({ code: 0 });
    }
    await stage.coordinator.end('SIGKILL');
    await stage.startCoordinator();
    const { code, stdout } = await run('show', stateId);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Pending hand-offs[^]*architect +implementer +it is done +see architect\.md/);
    expect(stdout).toMatch(/Ended last[^]*inv-analyst +analyst +completed +analyst is done/);
  });

  it('lets CI wait until the verdicts are clear, and says who stands in the way', async () => {
    const stateId = await openTree('judged');
    const give = (agent: string, decision: string) =>
      stage.command(
        ...['workflow', 'verdict', stateId, '--agent', agent, '--decision', decision],
        ...['--confidence', '0.9', '--reasoning', `${agent} has looked`],
      );
    for (let i = 0; i < 9; i += 1) {
      must(
        await stage.operator.workflow.addVerdict(stateId, {
          agent: `agent-${String(i)}`,
          decision: 'approve',
          confidence: 1,
          reasoning: 'fine',
        }),
      );
    }
    expect(await give('critic', 'reject')).toMatchObject({ code: 0 });
    const wait = ['state', 'wait', stateId, '--until', 'verdicts-clear'];
    const late = await stage.command(...wait, '--timeout', '200ms');
    expect(late).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('critic: reject: critic has looked'),
    });
    const blocked = await stage.command(...wait, '--fail-on', 'verdicts-blocked', '--timeout', '30s');
    expect(blocked).toMatchObject({ code: 9, stderr: expect.stringContaining('critic') });
    const waiting = stage.command(...wait, '--timeout', '60s');
    expect(await give('critic', 'approve')).toMatchObject({ code: 0 });
    expect(await waiting).toMatchObject({ code: 0 });
  });
});
