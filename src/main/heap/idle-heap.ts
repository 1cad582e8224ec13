// What a burst of work leaves on V8's heap, given back once it is over: V8 collects while something is allocated, so a
// service that has become idle would keep its garbage until the next burst.
import { getHeapStatistics } from 'node:v8';

/** How often is looked whether there is nothing to do. */
const LOOK_MS = 3000;
/** So little work between two looks is none: timers, probes. */
const NOTHING_MS = 60;
/** Less work than that leaves nothing worth a pause. */
const WORKED_MIN_MS = 1000;
/**
 * So many looks find nothing to do before the heap is collected. Whatever comes next finds a small young generation and
 * code that is to be compiled again, and is slower for some seconds: no pause between two bursts is worth that.
 */
const QUIET_LOOKS = 10;
/** A larger heap would hold up for too long whoever comes just then: 100 MB take a tenth of a second. */
const HEAP_BYTES_MAX = 256 * 1024 * 1024;

/** Tells when a burst of work is over. */
export class IdleWatch {
  #workedMs = 0;
  #quietLooks = 0;

  /**
   * @param activeMs - How long the event loop has worked since the last look.
   * @returns True where it is time to collect.
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

/** From here on, for as long as the process lives. */
export function collectWhenIdle(): void {
  const watch = new IdleWatch();
  let last = performance.eventLoopUtilization();
  const look = async () => {
    const { active } = performance.eventLoopUtilization(last);
    if (watch.look(active) && getHeapStatistics().used_heap_size < HEAP_BYTES_MAX) await collect();
    // The collection is no work of the service's.
    last = performance.eventLoopUtilization();
  };
  const looking = setInterval(() => {
    // A Node that was built without its inspector keeps its garbage.
    look().catch(() => clearInterval(looking));
  }, LOOK_MS).unref();
}

/** All of it, the young generation too, which then is small again. */
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
