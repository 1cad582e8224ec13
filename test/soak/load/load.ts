// The long test of what one caller may send: each attack against a service of its own, and how long others wait.
import { ATTACKS } from './attacks/index.js';
import type { Attack } from './kit.js';
import { Target, type Seen } from './target.js';

/** What another caller may wait for `/healthz`, milliseconds. */
const WAIT_MS_MAX = 500;
/** 300 bodies of a mebibyte that come at once are held as bytes, as text and as values. */
const RESIDENT_BYTES_MAX = 1.5 * 1024 ** 3;

/** @returns The exit code. LOAD_ONLY: parts of the names of those that run, with | between them. */
export async function load(): Promise<number> {
  const only = (process.env['LOAD_ONLY'] ?? '').split('|');
  const failed: string[] = [];
  console.log('wait ms  stood ms   work ms      MiB  attack');
  for (const attack of ATTACKS.filter(({ name }) => only.some((part) => name.includes(part)))) {
    const seen = await run(attack);
    const over = seen === null || isOver(seen);
    if (over) failed.push(attack.name);
    console.log(
      `${seen === null ? 'failed'.padEnd(36) : line(seen)}  ${attack.name}${over ? '  <--' : ''}${answers(seen)}`,
    );
  }
  console.log(failed.length === 0 ? 'All is well.' : `${String(failed.length)} attacks hold others up.`);
  return failed.length === 0 ? 0 : 1;
}

/** On a machine that has other work, time on the processor is what counts. */
function isOver({ healthzMs, workMs, residentBytes }: Seen): boolean {
  return (healthzMs > WAIT_MS_MAX && workMs > WAIT_MS_MAX / 2) || residentBytes > RESIDENT_BYTES_MAX;
}

function line({ healthzMs, stoodMs, workMs, residentBytes }: Seen): string {
  const cells = [healthzMs, stoodMs, workMs, residentBytes / 1024 ** 2];
  return cells.map((cell) => cell.toFixed(0).padStart(7)).join('   ');
}

function answers(seen: Seen | null): string {
  const statuses = [...(seen?.statuses ?? [])].map(
    ([status, times]) => `${String(times)} x ${String(status)}`,
  );
  return statuses.length === 0 ? '' : ` (${statuses.join(', ')})`;
}

async function run(attack: Attack): Promise<Seen | null> {
  const target = await Target.start();
  try {
    return await target.during(await attack.ready(target));
  } catch (error) {
    console.log(String(error), target.log.slice(-2000));
    return null;
  } finally {
    await target.end();
  }
}
