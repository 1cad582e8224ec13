// What idle listeners cost: memory for each, and the time of a write to a state that they do not listen to, with and
// without them.
import { connect } from 'node:net';
import { join } from 'node:path';
import { coordinatorOn, JSON_PATCH } from './coordinator.mjs';
import { documentOf } from './documents.mjs';
import { median } from './load.mjs';
import { heading, line, ratio } from './report.mjs';

const LISTENERS = 1000;
const WRITES = 1000;

/** Settles when the service has begun to answer. */
function listen(base, state) {
  const url = new URL(base);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname);
    socket.once('error', reject);
    socket.once('data', () => resolve(socket.resume()));
    socket.write(`GET /workflow-states/${state}/stream HTTP/1.1\r\nhost: ${url.host}\r\n\r\n`);
  });
}

export async function subscribers({ dir }) {
  const service = await coordinatorOn(join(dir, 'subscribers.db'));
  let n = 0;
  /** Median time of a write, one after the other, milliseconds. */
  async function write(state, writes) {
    const times = [];
    for (let i = 0; i < writes; i += 1) {
      const from = performance.now();
      const patch = [{ op: 'replace', path: '/counter', value: (n += 1) }];
      await service.call('PATCH', `/workflow-states/${state}`, patch, JSON_PATCH);
      times.push(performance.now() - from);
    }
    return median(times);
  }
  try {
    const [heard, written] = [
      await service.newState(documentOf(1000)),
      await service.newState(documentOf(1000)),
    ];
    // First a program that has not warmed up: not counted.
    await write(written, 2 * WRITES);
    const before = await write(written, WRITES);
    const residentBefore = service.residentMb();
    const sockets = await Promise.all(Array.from({ length: LISTENERS }, () => listen(service.url, heard)));
    const kib = ((service.residentMb() - residentBefore) * 1024) / LISTENERS;
    const beside = await write(written, WRITES);
    const heardBy = await write(heard, WRITES / 20);
    for (const socket of sockets) socket.destroy();
    const without = (before + (await write(written, WRITES))) / 2;
    heading(`${LISTENERS.toLocaleString('en')} idle SSE listeners`);
    line('resident memory for each, KiB', kib.toFixed(1));
    line('PATCH of another state, with / without them', ratio(beside, without));
    line('PATCH of the state that all hear / without them', ratio(heardBy, without));
  } finally {
    await service.stop();
  }
}
