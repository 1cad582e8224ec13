// Runs of agents by a runner beside the service, against the same processes alone.
import { join } from 'node:path';
import { coordinatorOn } from '../coordinator.mjs';
import { median } from '../load.mjs';
import { figure, heading, line } from '../report.mjs';
import { JSON_BODY, openCaller } from './caller.mjs';
import { newTree, prepareTrees } from './cycle.mjs';
import { shellCommands } from './process-rows.mjs';

const RUNS = 200;
const AT_A_TIME = 8;

/** Wall time until the parent has been told of all its children, in milliseconds. */
async function runAgents(service, round) {
  const { root } = await newTree(service);
  const caller = await openCaller(service.url);
  const from = performance.now();
  for (let i = 0; i < RUNS; i += 1) {
    const body = JSON.stringify({
      type: 'start_session',
      session_name: `agent-${String(round)}-${String(i)}`,
      prompt: 'Work.',
      parent_session_name: root,
      callback: true,
      completion: { mode: 'never' },
    });
    const status = await caller.call({ method: 'POST', path: '/runs', headers: JSON_BODY, body });
    if (status !== 201) throw new Error(`a start was answered ${String(status)}`);
  }
  caller.close();
  // Of those that it has pulled and not acknowledged, a parent gets a bounded number again.
  const told = new Set();
  for (;;) {
    const { items } = await service.call('GET', `/sessions/${root}/callbacks`);
    for (const { callback_id: id } of items) told.add(id);
    if (told.size >= RUNS) return performance.now() - from;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function runnerRow({ dir, rounds }) {
  const args = ['--runner', '--exec', 'true', '--concurrent', String(AT_A_TIME), '--project-dir', dir];
  const service = await coordinatorOn(join(dir, 'runner.db'), { args });
  try {
    await prepareTrees(service);
    await runAgents(service, 'first');
    const [with_, alone] = [[], []];
    for (let i = 0; i < Math.min(rounds, 3); i += 1) {
      alone.push((await shellCommands('true', RUNS, AT_A_TIME)) / RUNS);
      with_.push((await runAgents(service, i)) / RUNS);
    }
    heading(`${String(RUNS)} runs of \`true\` by a runner, ${String(AT_A_TIME)} at a time`);
    line(
      'time that the product adds per run, ms',
      figure(median(with_.map((ms, i) => ms - alone[i]))),
      '<= 15',
      `${median(with_).toFixed(1)} ms per run, ${median(alone).toFixed(1)} ms of the process alone; aim 5`,
    );
  } finally {
    await service.stop();
  }
}
