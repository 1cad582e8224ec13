// The parts that the stories are about: a root that starts children, and children of every kind.
import type { Part } from '../support/agents.js';

/** Starts the children that its prompt names, sleeps, and notes what it is told of them. */
const root: Part = async (agent) => {
  if (agent.purpose === 'callback') {
    const state = await agent.must('GET', `/sessions/${agent.name}/workflow-state`);
    agent.note({ told: agent.prompt, document: state.current_data });
    return;
  }
  const plan = JSON.parse(agent.prompt);
  if (plan.children === undefined) return;
  await agent.must('POST', '/workflow-states', { schema_name: plan.schema, initial_data: {} });
  for (const child of plan.children) {
    await agent.must('POST', '/runs', { type: 'start_session', callback: true, ...child });
  }
  const own = `/callbacks?status=queued&root_session=${agent.name}`;
  const waiting = async () => (await agent.must('GET', own)).items.length;
  while ((await waiting()) < plan.busyUntilCallbacks) await agent.sleep(20);
};

/** Answers in prose, and records what it is asked for. */
const dutiful: Part = async (agent) => {
  if (agent.purpose === 'state_update') await agent.add(`/${agent.name}`, { by: agent.name });
  else agent.say(`dutiful prose of ${agent.name} in run ${agent.runId}`);
};

/** Records its result without being asked. */
const eager: Part = async (agent) => {
  await agent.add(`/${agent.name}`, { by: agent.name });
  agent.say('eager prose');
};

/** Never records anything. */
const forgetful: Part = (agent) => {
  if (agent.purpose === 'state_update') agent.note({ asked: agent.prompt });
  agent.say(agent.purpose === 'state_update' ? 'sorry' : 'lots of prose');
};

/** Records the wrong thing first. */
const clumsy: Part = async (agent) => {
  if (agent.purpose !== 'state_update') return;
  agent.note({ asked: agent.prompt });
  await agent.add(`/${agent.name}`, agent.prompt.includes('attempt="1"') ? {} : { by: agent.name });
};

/** Does not come back when it is asked. */
const lingering: Part = async (agent) => {
  if (agent.purpose !== 'state_update') return;
  agent.heedSigterm();
  agent.note({ asked: agent.prompt });
  await agent.sleep(60_000);
};

/** Never ends its work, and has a process of its own; records when it is asked. */
const endless: Part = async (agent) => {
  if (agent.purpose === 'state_update') {
    await agent.add(`/${agent.name}`, { by: agent.name });
    return;
  }
  agent.heedSigterm();
  agent.note({ pids: [process.pid, agent.spawnSleeper()] });
  await agent.sleep(60_000);
};

/** Breaks off its work; records when it is asked. */
const failing: Part = async (agent) => {
  if (agent.purpose === 'state_update') await agent.add(`/${agent.name}`, { by: agent.name });
  else process.exitCode = 3;
};

/** Has work done by a child of its own, and goes on when that is done. */
const delegating: Part = async (agent) => {
  if (agent.purpose === 'work') {
    const grandchild = { session_name: `${agent.name}-deep`, agent_name: 'dutiful', prompt: 'deep work' };
    await agent.must('POST', '/runs', { type: 'start_session', callback: true, ...grandchild });
    agent.say('waiting for the one below');
  } else if (agent.purpose === 'callback') {
    agent.note({ told: agent.prompt });
    agent.say('all that is below is done');
  } else {
    await agent.add(`/${agent.name}`, { by: agent.name });
  }
};

/** Goes on with its work until the test says so, by a file. */
const patient: Part = async (agent) => {
  if (agent.purpose === 'state_update') {
    await agent.add(`/${agent.name}`, { by: agent.name });
    return;
  }
  agent.note({ began: process.pid });
  while (!agent.isGiven(`go-${agent.name}`)) await agent.sleep(20);
  agent.say(`patient prose of ${agent.name}`);
};

export const parts = {
  root,
  dutiful,
  eager,
  forgetful,
  clumsy,
  lingering,
  endless,
  failing,
  delegating,
  patient,
};
