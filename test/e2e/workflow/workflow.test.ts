// The workflow record with real processes: children that a runner runs are recorded although nobody writes it down, and an
// orchestrator that is started anew goes on from the record alone.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import { builtProgram } from '../../support/built-program.js';
import { eventually, pause, STORY_MS_MAX } from '../../support/eventually.js';
import { must, Stage } from '../../support/stage.js';

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

  /** A shell script as the orchestrator of a tree: it knows the name of its session and where the service is. */
  async function orchestrator(session: string, script: string) {
    const bin = join(dirname(await builtProgram()), '../bin');
    const child = spawn('sh', ['-ec', script], {
      cwd: stage.dir,
      detached: true,
      env: {
        PATH: [bin, process.env['PATH']].join(':'),
        COUNTERSIGN_URL: stage.url,
        AGENT_SESSION_NAME: session,
      },
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
    const ended = new Promise<void>((resolve, reject) => {
      child.on('close', (code, signal) =>
        code === 0 || signal !== null ? resolve() : reject(new Error(`${String(code)}: ${said}`)),
      );
    });
    return { said: () => said, kill: () => process.kill(-(child.pid ?? 0), 'SIGKILL'), ended };
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

  it('lets an orchestrator that was killed after two hand-offs go on, from workflow show alone', async () => {
    const stateId = await openTree('owner');
    const first = await orchestrator(
      'owner',
      `for pair in "analyst architect" "architect implementer"; do
        set -- $pair
        countersign workflow start --agent $1 --prompt "Work." --id inv-$1
        countersign workflow handoff --from $1 --to $2 --reason "it is done" --context "Go on with $1.md"
        countersign workflow complete --id inv-$1 --status completed --summary "$1 is done"
      done
      echo handed over
      sleep 600`,
    );
    await eventually('both have handed over', () => first.said().includes('handed over'));
    first.kill();
    await stage.coordinator.end('SIGKILL');
    await stage.startCoordinator();

    const { stdout } = await stage.command('workflow', 'show', stateId);
    expect(stdout).toMatch(
      /Pending hand-offs[^]*architect +implementer +it is done +Go on with architect\.md/,
    );
    expect(stdout).toMatch(/Ended last[^]*inv-analyst +analyst +completed +analyst is done/);
    const second = await orchestrator(
      'owner',
      `countersign workflow show --json > shown.json
      owed() { node -p "JSON.parse(fs.readFileSync('shown.json')).pending_handoffs[0].$1"; }
      countersign session start --name "$(owed to_agent)" --agent "$(owed to_agent)" --prompt "$(owed context)" --mode never`,
    );
    await second.ended;
    await eventually('the implementer has done its part', async () => {
      const [last] = (await history(stateId)).slice(-1);
      return last?.['agent'] === 'implementer' && last['status'] === 'completed';
    });
    const [implementer] = (await history(stateId)).slice(-1);
    expect(implementer).toMatchObject({ handoff_from: 'architect', handoff_reason: 'it is done' });
    expect((implementer?.['input'] as JsonObject)['prompt']).toContain('Go on with architect.md');
    expect(must(await stage.operator.workflow.show(stateId)).pending_handoffs).toEqual([]);
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
