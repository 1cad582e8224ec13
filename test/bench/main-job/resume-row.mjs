// How soon a parent can go on: from the answer to its child's `session_stop` until its runner has claimed the run that
// resumes it, beside cycles of other trees.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { coordinatorOn } from '../coordinator.mjs';
import { figure, heading, line } from '../report.mjs';
import { asSession, JSON_BODY, JSON_PATCH, percentile } from './caller.mjs';
import { prepareTrees } from './cycle.mjs';

const CHILDREN = 1000;
/** Where the machine makes fewer, it is asked for half of what it makes: what is full says only how long its queue is. */
const CYCLES_PER_SECOND = 500;
/** Enough to see what the machine makes beside them. */
const TRIAL_CHILDREN = 200;
const OTHER_TREES = fileURLToPath(new URL('./other-trees.mjs', import.meta.url));

/** A runner that claims one run at a time. */
async function openRunner(service) {
  const { runner_id: runner } = await service.call('POST', '/runner/register', {
    hostname: 'bench',
    executor_types: ['command'],
  });
  const claim = async () => {
    for (;;) {
      const { runs } = await service.call('GET', `/runner/runs?runner_id=${runner}&wait=20s&capacity=1`);
      if (runs.length > 0) return runs[0];
    }
  };
  const finish = async ({ run_id: id, attempt, lease_token: lease }) => {
    const held = { runner_id: runner, attempt, lease_token: lease };
    await service.call('POST', `/runner/runs/${id}/started`, held);
    await service.call('POST', `/runner/runs/${id}/completed`, { ...held, result_text: 'Done.' });
  };
  return { claim, finish };
}

/** Milliseconds from the answer of each child's stop until the parent's run has arrived at the runner. */
async function resumeTimes(service, parent, children) {
  const runner = await openRunner(service);
  await service.call('POST', '/runs', { type: 'start_session', session_name: parent, prompt: 'Work.' });
  await runner.finish(await runner.claim());
  const { state_id: stateId } = await service.call('POST', '/workflow-states', {
    schema_name: 'review',
    initial_data: { title: 'Resumed', results: {} },
    root_session_name: parent,
  });
  const times = [];
  for (let i = 0; i < children; i += 1) {
    const child = `${parent}-${String(i)}`;
    const pointer = `/results/${child}`;
    await service.call('POST', '/sessions', {
      session_name: child,
      parent_session_name: parent,
      external: true,
      callback: true,
      completion: {
        mode: 'unless_satisfied',
        contract: { pointer, schema: { required: ['verdict'] } },
        write_scope: [pointer],
      },
    });
    const patch = [{ op: 'add', path: pointer, value: { verdict: 'pass' } }];
    await service.call('PATCH', `/workflow-states/${stateId}`, patch, asSession(child, JSON_PATCH));
    const claimed = runner.claim().then((run) => ({ run, at: performance.now() }));
    const stop = { type: 'session_stop', result_text: 'Reviewed.' };
    await service.call('POST', `/sessions/${child}/events`, stop, asSession(child, JSON_BODY));
    const answeredAt = performance.now();
    const { run, at } = await claimed;
    times.push(Math.max(0, at - answeredAt));
    await runner.finish(run);
  }
  return times;
}

/** Makes cycles of other trees while `work` is done. @returns What it gives, and how many cycles there were a second. */
async function besideCycles(service, perSecond, work) {
  const others = spawn(process.execPath, [OTHER_TREES, service.url, String(perSecond)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(others.stdout, 'data');
  const result = await work();
  others.stdin.end();
  const [cycles] = await once(others.stdout, 'data');
  return { result, cycles: Number(cycles) };
}

export async function resumeRow({ dir }) {
  const service = await coordinatorOn(join(dir, 'resume.db'), { args: ['--lease-ms', '600000'] });
  try {
    await prepareTrees(service);
    const full = await besideCycles(service, CYCLES_PER_SECOND, () =>
      resumeTimes(service, 'trial', TRIAL_CHILDREN),
    );
    const isFull = full.cycles < 0.9 * CYCLES_PER_SECOND;
    const asked = isFull ? Math.floor(full.cycles / 2) : CYCLES_PER_SECOND;
    const { result: times, cycles } = await besideCycles(service, asked, () =>
      resumeTimes(service, 'parent', CHILDREN),
    );
    heading("From the answer to a child's `session_stop` until its parent's run is claimed");
    line(
      'p99, ms',
      figure(percentile(times, 0.99)),
      '<= 20',
      `p50 ${percentile(times, 0.5).toFixed(1)} ms; beside ${cycles.toFixed(0)} cycles/s` +
        (isFull ? `, half of the ${full.cycles.toFixed(0)} that the machine makes` : ''),
    );
  } finally {
    await service.stop();
  }
}
