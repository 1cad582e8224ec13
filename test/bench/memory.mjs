// Resident memory of a coordinator: idle, and with many live states.
import { join } from 'node:path';
import { coordinatorOn, JSON_PATCH } from './coordinator.mjs';
import { residentMb, startCountersign } from './processes.mjs';
import { heading, line } from './report.mjs';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const STATES = 10_000;

export async function memory({ dir }) {
  const fresh = await startCountersign(join(dir, 'idle.db'));
  await pause(3000);
  const idle = residentMb(fresh.pid);
  await fresh.stop();
  const service = await coordinatorOn(join(dir, 'memory.db'));
  try {
    // Long enough for threads without work to end.
    await pause(15_000);
    const before = service.residentMb();
    const ids = await service.newStates(STATES);
    for (let i = 0; i < ids.length; i += 64) {
      const some = ids.slice(i, i + 64);
      const patch = [{ op: 'replace', path: '/counter', value: i + 1 }];
      await Promise.all(some.map((id) => service.call('PATCH', `/workflow-states/${id}`, patch, JSON_PATCH)));
    }
    // And for the heap to be collected once all is quiet.
    await pause(40_000);
    heading('Resident memory, MB');
    line('idle', idle.toFixed(0), '<= 120');
    line(
      `${STATES.toLocaleString('en')} live states of 1 KB, on top`,
      (service.residentMb() - before).toFixed(0),
      '<= 100',
    );
  } finally {
    await service.stop();
  }
}
