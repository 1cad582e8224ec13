// The concurrency test as a program: tells its figures, ends with an exit code.
import { newSeed } from '../random.js';
import { concurrencyTest } from './concurrency-test.js';

const SECONDS = 30;
const STATES = 500;
const WRITERS = 50;
const SECONDS_PER_KILL = 15;

export async function concurrency(): Promise<number> {
  const seed = Number(process.env['SOAK_SEED'] ?? newSeed());
  const seconds = Number(process.env['SOAK_SECONDS'] ?? SECONDS);
  const kills = Math.max(1, Math.floor(seconds / SECONDS_PER_KILL));
  console.log(`concurrency: ${String(seconds)} s, SOAK_SEED=${String(seed)}`);
  const { figures, problems } = await concurrencyTest({
    seed,
    seconds,
    states: STATES,
    writers: WRITERS,
    kills,
  });
  for (const [name, figure] of Object.entries(figures)) console.log(`${name.padEnd(34)}${String(figure)}`);
  for (const problem of problems) console.log(`PROBLEM: ${problem}`);
  console.log(
    problems.length === 0
      ? 'All is well.'
      : `Again with: SOAK_SEED=${String(seed)} npm run soak -- concurrency`,
  );
  return problems.length === 0 ? 0 : 1;
}
