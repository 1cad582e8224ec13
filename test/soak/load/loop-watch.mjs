// Loaded into the service under test (`--import`): notes how long its event loop stood, in wall time and in time on the
// processor, and how much memory the process holds. Processor time alone tells its own work from that of the machine.
import { appendFileSync, readFileSync } from 'node:fs';

const file = process.env.LOAD_WATCH_FILE;
const PACE_MS = 5;
const NOTE_MS = 100;

/** Nanoseconds that the main thread was on a processor; wall time where the system does not tell. */
function onProcessorMs() {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

if (file !== undefined && file !== '') {
  let [wall, work, noted] = [performance.now(), onProcessorMs(), performance.now()];
  let [wallMs, workMs] = [0, 0];
  setInterval(() => {
    const [now, done] = [performance.now(), onProcessorMs()];
    wallMs = Math.max(wallMs, now - wall);
    workMs = Math.max(workMs, done - work);
    [wall, work] = [now, done];
    if (now - noted < NOTE_MS) return;
    appendFileSync(
      file,
      `${String(Date.now())} ${wallMs.toFixed(1)} ${workMs.toFixed(1)} ${String(process.memoryUsage.rss())}\n`,
    );
    [noted, wallMs, workMs] = [now, 0, 0];
  }, PACE_MS).unref();
}
