// Collects the garbage of a burst of work once the process is idle. V8 collects only during allocation, so an
// idle service would keep its garbage until the next burst.
import { getHeapStatistics } from 'node:v8';

/** Interval between two checks for idleness, milliseconds. */
const LOOK_MS = 3000;
/** Up to this much work between two checks counts as idle (timers, health checks), milliseconds. */
const NOTHING_MS = 60;
/** After less work than this, a collection is not worth its pause, milliseconds. */
const WORKED_MIN_MS = 1000;
/**
 * Idle checks in a row before the heap is collected. After a collection the young generation is small and code
 * has to be compiled again, so requests are slower for some seconds. A pause between two bursts must not trigger
 * it.
 */
const QUIET_LOOKS = 10;
/** A larger heap is not collected: the pause would delay requests too long (100 MB take a tenth of a second). */
const HEAP_BYTES_MAX = 256 * 1024 * 1024;

/** Detects the end of a burst of work. */
export class IdleWatch {
  #workedMs = 0;
  #quietLooks = 0;

  /**
   * @param activeMs - How long the event loop was busy since the last check, milliseconds.
   * @returns True if the heap should be collected now.
   */
  look(activeMs: number): boolean {
    if (activeMs > NOTHING_MS) {
      this.#workedMs += activeMs;
      this.#quietLooks = 0;
      return false;
    }
    this.#quietLooks += 1;
    if (this.#workedMs < WORKED_MIN_MS || this.#quietLooks < QUIET_LOOKS) return false;
    this.#workedMs = 0;
    return true;
  }
}

/** Starts the checks, for the lifetime of the process. */
export function collectWhenIdle(): void {
  const watch = new IdleWatch();
  let last = performance.eventLoopUtilization();
  const look = async () => {
    const { active } = performance.eventLoopUtilization(last);
    if (watch.look(active) && getHeapStatistics().used_heap_size < HEAP_BYTES_MAX) await collect();
    // The collection itself does not count as work.
    last = performance.eventLoopUtilization();
  };
  const looking = setInterval(() => {
    // A Node built without its inspector cannot collect: the checks stop.
    look().catch(() => clearInterval(looking));
  }, LOOK_MS).unref();
}

/** Collects the whole heap and shrinks the young generation. */
async function collect(): Promise<void> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
