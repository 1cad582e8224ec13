// Processes: one command that writes, and the start of the service on a grown database.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { coordinatorOn } from '../coordinator.mjs';
import { documentOf } from '../documents.mjs';
import { median } from '../load.mjs';
import { PROGRAM, startCountersign } from '../processes.mjs';
import { figure, heading, line } from '../report.mjs';
import { grownDatabase } from './grown-database.mjs';

const SESSIONS = 100_000;
const EVENTS = 1_000_000;

/** Wall time of a process, in milliseconds. */
function timeOf(args, env = {}, input = '') {
  const from = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: { ...process.env, ...env },
    input,
  });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${String(stderr)}`);
  const ms = performance.now() - from;
  if (String(stdout).includes('deny')) throw new Error(String(stdout));
  return ms;
}

export async function processRows({ dir, rounds }) {
  heading('Processes');
  const service = await coordinatorOn(join(dir, 'processes.db'));
  try {
    const id = await service.newState(documentOf(1000));
    const env = { COUNTERSIGN_URL: service.url, WORKFLOW_STATE_ID: id };
    const [bare, patch] = [[], []];
    for (let i = 0; i < 2 + 2 * rounds; i += 1) {
      bare.push(timeOf(['-e', '0']));
      const operations = JSON.stringify([{ op: 'replace', path: '/counter', value: i + 1 }]);
      patch.push(timeOf([PROGRAM, 'state', 'patch', operations], env));
    }
    const ratios = patch.map((ms, i) => ms / bare[i]).slice(2);
    line(
      '`countersign state patch` / `node -e 0`',
      figure(median(ratios)),
      '<= 3',
      `${median(patch).toFixed(0)} ms and ${median(bare).toFixed(0)} ms; aim 1.8`,
    );
    await gateRow(service, rounds);
  } finally {
    await service.stop();
  }
  const path = join(dir, 'grown.db');
  await grownDatabase(path, { sessions: SESSIONS, events: EVENTS });
  const times = [];
  for (let i = 0; i < Math.min(rounds, 3); i += 1) {
    const from = performance.now();
    const { stop } = await startCountersign(path);
    times.push((performance.now() - from) / 1000);
    await stop();
  }
  line(
    '`countersign serve` until ready, 100,000 sessions, s',
    figure(median(times)),
    '<= 1.0',
    `and ${EVENTS.toLocaleString('en')} events; aim 0.5`,
  );
}

/** The gate before a tool, as an agent CLI runs it: a process for each call. */
async function gateRow({ url, call }, rounds) {
  const { root_session_id: session } = await call('POST', '/workflow-states', {
    schema_name: 'orchestrator-workflow',
    initial_data: { protocol_start_complete: true },
  });
  const input = JSON.stringify({
    hook_event_name: 'PreToolUse',
    session_id: 'bench',
    tool_name: 'Write',
    tool_input: {},
  });
  const env = { COUNTERSIGN_URL: url, AGENT_SESSION_ID: session };
  const args = [PROGRAM, 'hook', 'pre-tool-use', '--client', 'claude-code'];
  const times = [];
  for (let i = 0; i < 2 + 2 * rounds; i += 1) times.push(timeOf(args, env, input));
  const counted = times.slice(2).sort((a, b) => a - b);
  line(
    '`countersign hook pre-tool-use`, ms',
    figure(median(counted)),
    '<= 150',
    `slowest ${counted.at(-1).toFixed(0)} ms; the tool is allowed`,
  );
}

/** Runs shell commands, some at a time. @returns The wall time in milliseconds. */
export async function shellCommands(command, count, atATime) {
  let next = 0;
  const from = performance.now();
  await Promise.all(
    Array.from({ length: atATime }, async () => {
      while ((next += 1) <= count) {
        await new Promise((resolve, reject) => {
          spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'pipe', 'pipe'] })
            .once('error', reject)
            .once('close', resolve)
            .stdin.end();
        });
      }
    }),
  );
  return performance.now() - from;
}
