// The agents of a soak. Each tells its kind by its session's name: `<tree>-<kind>-<number>`. They write all the time, and
// note each write that was acknowledged to them.
import type { Agent } from '../support/agent-kit.js';
import type { Part } from '../support/agents.js';

/** A child of any kind. `deep` starts a child of its own. */
export const worker: Part = async (agent: Agent) => {
  const kind = agent.name.split('-')[1] ?? '';
  const record = async (path: string, value: unknown) => {
    const { status, body } = await agent.add(path, value);
    if (status === 200) agent.note({ wrote: { path, value, version: body.version, changed: body.changed } });
    else agent.note({ fault: `${String(status)} ${JSON.stringify(body)}` });
  };
  const chatter = async () => {
    for (let n = 0; n < 3; n += 1) {
      await agent.sleep(Math.random() * 150);
      const path = `/log/${agent.name}.${agent.purpose}.${String(process.pid)}.${String(n)}`;
      await record(path, { n, text: 'x'.repeat(Math.random() * 500) });
    }
  };
  const result = () => record(`/tasks/${agent.name}`, { by: agent.name, run: agent.runId });

  if (agent.purpose === 'callback') agent.note({ told: agent.prompt });
  await chatter();
  if (agent.purpose === 'state_update') {
    const isFirst = agent.prompt.includes('attempt="1"');
    if (kind === 'mute' || (kind === 'forgetful' && isFirst)) return;
    if (kind === 'clumsy' && isFirst) await record(`/tasks/${agent.name}`, { run: agent.runId });
    else await result();
    return;
  }
  if (kind === 'eager') await result();
  if (kind === 'deep' && agent.purpose === 'work') {
    const { status, body } = await agent.call('POST', '/runs', JSON.parse(agent.prompt));
    if (status !== 201 && body.error !== 'session_exists') agent.note({ fault: JSON.stringify(body) });
  }
  agent.say(`result of ${agent.name} in run ${agent.runId}`);
  if (kind === 'failing') process.exitCode = 3;
};

/** The root: its prompt is the runs to start. Where a try was lost in between, the next finds what the last has done. */
export const keeper: Part = async (agent: Agent) => {
  if (agent.purpose === 'callback') {
    agent.note({ told: agent.prompt });
    await agent.sleep(Math.random() * 200);
    return;
  }
  const plan = JSON.parse(agent.prompt);
  const state = { schema_name: plan.schema, initial_data: { tasks: {}, log: {} } };
  for (const [path, body] of [
    ['/workflow-states', state],
    ...plan.runs.map((run: unknown) => ['/runs', run]),
  ]) {
    const answer = await agent.call('POST', path, body);
    const isThere = ['state_exists', 'session_exists'].includes(answer.body.error);
    if (answer.status !== 201 && !isThere) agent.note({ fault: JSON.stringify(answer.body) });
    await agent.sleep(Math.random() * 80);
  }
};
