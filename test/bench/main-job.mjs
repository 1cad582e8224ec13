// The main job of the service, row by row: cycles of child sessions, writes as a session, realistic schemas, access,
// MCP, watchers and processes. BENCH_ROWS names the groups to run, such as `BENCH_ROWS=cycle,schemas`.
import { accessRows } from './main-job/access-rows.mjs';
import { cycleRows } from './main-job/cycle-rows.mjs';
import { growthRows } from './main-job/growth-rows.mjs';
import { processRows } from './main-job/process-rows.mjs';
import { resumeRow } from './main-job/resume-row.mjs';
import { runnerRow } from './main-job/runner-row.mjs';
import { schemaRows } from './main-job/schema-rows.mjs';
import { watcherRow } from './main-job/watcher-row.mjs';
import { writeRows } from './main-job/write-rows.mjs';

const GROUPS = {
  cycle: cycleRows,
  growth: growthRows,
  resume: resumeRow,
  runner: runnerRow,
  writes: writeRows,
  schemas: schemaRows,
  access: accessRows,
  watchers: watcherRow,
  processes: processRows,
};

export async function mainJob({ dir, seconds, rounds }) {
  const asked = (process.env.BENCH_ROWS ?? '').split(',').filter((name) => name !== '');
  const unknown = asked.filter((name) => !(name in GROUPS));
  if (unknown.length > 0) {
    throw new Error(`no such rows: ${unknown.join(', ')}; there are ${Object.keys(GROUPS).join(', ')}`);
  }
  // These measures take seconds each, and medians of a few rounds are enough; `allRounds` is for those that need more.
  const options = { dir, seconds, rounds: Math.min(rounds, 5), allRounds: rounds };
  for (const [name, group] of Object.entries(GROUPS)) {
    if (asked.length === 0 || asked.includes(name)) await group(options);
  }
}
