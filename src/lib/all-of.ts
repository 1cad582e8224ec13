/**
 * Waits until all promises have ended, also if one fails: nothing of them goes on after it.
 *
 * @param isConsequence - True for an error that only follows from another one.
 * @throws The error of the first that failed by itself.
 */
export async function allOf(
  promises: readonly Promise<unknown>[],
  isConsequence: (error: unknown) => boolean = () => false,
): Promise<void> {
  const ended = await Promise.allSettled(promises);
  const failed = ended.filter((result) => result.status === 'rejected');
  const first = failed.find(({ reason }) => !isConsequence(reason)) ?? failed[0];
  if (first !== undefined) throw first.reason;
}
