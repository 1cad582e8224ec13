// Waiting for a fact: asked again and again, with a deadline.

const PACE_MS = 25;

/** How long a test of several processes may take where the machine has much else to do. */
export const STORY_MS_MAX = 180_000;

/**
 * @param probe - Gives what was waited for; `undefined`, `null` or `false` where it is not so yet. What it throws is
 *   told when the deadline has passed.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  deadlineMs = 90_000,
  /** Less than the default where no other process has to do anything. */
  paceMs = PACE_MS,
): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    let trouble: unknown = null;
    try {
      const found = await probe();
      if (found !== undefined && found !== null && found !== false) return found;
    } catch (error) {
      trouble = error;
    }
    if (performance.now() > deadline) throw new Error(`Not so in time: ${what}`, { cause: trouble });
    await pause(paceMs);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
