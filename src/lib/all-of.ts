/**
 * Waits until all promises have ended, also if one fails: nothing of them goes on after it.
 *
 * @throws The error of the first that failed.
 */
export async function allOf(promises: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(promises))
    if (result.status === 'rejected') throw result.reason;
}
