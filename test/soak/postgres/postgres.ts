// The test of a cluster as a program: starts a PostgreSQL server, tells what it does, ends with a summary and an exit code.
import { startPostgres } from '../../support/postgres-server.js';
import { newSeed } from '../random.js';
import { clusterTest } from './cluster-test.js';

const SECONDS = 300;
const TREES_PER_SECOND = 200 / 300;

export async function postgres(): Promise<number> {
  const seed = Number(process.env['SOAK_SEED'] ?? newSeed());
  const seconds = Number(process.env['SOAK_SECONDS'] ?? SECONDS);
  const trees = Math.ceil(seconds * TREES_PER_SECOND);
  tell(`soak on PostgreSQL: ${String(trees)} trees in ${String(seconds)} s, SOAK_SEED=${String(seed)}`);
  const server = await startPostgres();
  try {
    const from = performance.now();
    const report = await clusterTest({ db: server.url, seed, trees, seconds, tell });
    tell('');
    for (const [fault, count] of Object.entries(report.faults))
      tell(`coordinators ${fault.padEnd(20)} ${String(count)}`);
    tell(`trees seen through               ${String(report.trees)}`);
    tell(`acknowledged writes              ${String(report.writes)}`);
    tell(`dead letters sent again          ${String(report.redelivered)}`);
    tell(`seconds                          ${((performance.now() - from) / 1000).toFixed(0)}`);
    for (const problem of report.problems) tell(`PROBLEM: ${problem}`);
    const again = `Again with: SOAK_SEED=${String(seed)} npm run soak -- postgres`;
    tell(report.problems.length === 0 ? 'All is well.' : again);
    return report.problems.length === 0 ? 0 : 1;
  } finally {
    await server.stop();
  }
}

function tell(line: string): void {
  console.log(line);
}
