// How much of a history is kept. The newest version always is.

/** What an operator wants to keep; 0 sets no bound. */
interface Retention {
  /** Number of versions of a state to keep, counted from the newest. */
  readonly versionsMax: number;
  /** Age of the versions to keep, milliseconds. */
  readonly ageMsMax: number;
}

/** What is known of a history when retention looks at it. */
export interface HistoryRange {
  readonly stateId: string;
  readonly version: number;
  /** The oldest version that is still available. */
  readonly oldestVersion: number;
  /** The newest version that is older than the retention allows; 0 for none. */
  readonly agedVersion: number;
}

/** Removes everything older than the newest snapshot at or below `version`. */
export interface Compaction {
  readonly stateId: string;
  readonly version: number;
}

/** True if everything is kept. */
export function keepsEverything({ versionsMax, ageMsMax }: Retention): boolean {
  return versionsMax === 0 && ageMsMax === 0;
}

/**
 * Where to compact a history. A version is removed if either bound excludes it.
 *
 * @param stepVersionsMax - How many versions one compaction may remove. Later compactions remove the rest.
 * @returns `null` if nothing is to be removed.
 */
export function dueCompaction(
  range: HistoryRange,
  retention: Retention,
  stepVersionsMax: number,
): Compaction | null {
  const byCount = retention.versionsMax === 0 ? 1 : range.version - retention.versionsMax + 1;
  const byAge = retention.ageMsMax === 0 ? 1 : range.agedVersion + 1;
  const oldest = Math.min(Math.max(byCount, byAge), range.version);
  if (oldest <= range.oldestVersion) return null;
  return { stateId: range.stateId, version: Math.min(oldest, range.oldestVersion + stepVersionsMax) };
}
