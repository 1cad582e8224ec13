// `npm run bench`: what the service does, as ratios against bounds measured in the same run.
// `npm run bench -- sizes memory` runs these parts only, `npm run bench -- --db postgres` that of PostgreSQL.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dashboard } from './dashboard.mjs';
import { evidence } from './evidence.mjs';
import { growth } from './growth.mjs';
import { mainJob } from './main-job.mjs';
import { memory } from './memory.mjs';
import { sizes } from './sizes.mjs';
import { subscribers } from './subscribers.mjs';
import { throughput } from './throughput.mjs';

const PARTS = { 'main-job': mainJob, throughput, sizes, memory, subscribers, growth, evidence, dashboard };
const args = process.argv.slice(2).join(' ');
const isOnPostgres = args === '--db postgres';
const asked = isOnPostgres || args === '' ? [] : args.split(' ');
const unknown = asked.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`no such part: ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
}

const dir = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
const options = {
  dir,
  seconds: Number(process.env.BENCH_SECONDS ?? 1),
  rounds: Number(process.env.BENCH_ROUNDS ?? 15),
};
console.log(
  `Node ${process.version}; ${String(options.rounds)} rounds of ${String(options.seconds)} s each, taken in turn; medians.`,
);
try {
  if (isOnPostgres) await (await import('./postgres.mjs')).postgres(options);
  else
    for (const [name, part] of Object.entries(PARTS)) {
      if (asked.length === 0 || asked.includes(name)) await part(options);
    }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
