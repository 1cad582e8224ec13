// The long crash test as a program: tells what it does, ends with a summary and an exit code.
import { crashTest } from './crash-test.js';
import { newSeed } from './random.js';

const KILLS = 100;

export async function soak(): Promise<number> {
  const seed = Number(process.env['SOAK_SEED'] ?? newSeed());
  const kills = Number(process.env['SOAK_KILLS'] ?? KILLS);
  const from = performance.now();
  tell(`soak: ${String(kills)} kills, SOAK_SEED=${String(seed)}`);
  const report = await crashTest({ seed, kills, tell });
  const seconds = ((performance.now() - from) / 1000).toFixed(0);
  tell('');
  tell(`kills of the coordinator      ${String(report.kills.coordinator)}`);
  tell(`kills of the runner           ${String(report.kills.runner)}`);
  tell(`trees seen through            ${String(report.scenarios)}`);
  tell(`acknowledged writes           ${String(report.writes)}`);
  tell(`dead letters sent again       ${String(report.redelivered)}`);
  tell(`seconds                       ${seconds}`);
  for (const problem of report.problems) tell(`PROBLEM: ${problem}`);
  tell(report.problems.length === 0 ? 'All is well.' : `Again with: SOAK_SEED=${String(seed)} npm run soak`);
  return report.problems.length === 0 ? 0 : 1;
}

function tell(line: string): void {
  console.log(line);
}
