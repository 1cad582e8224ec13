// How much of a history is kept. The newest version always is.

/** What an operator wants kept; 0 sets no bound. */
export interface Retention {
  /** Versions of a state, the newest. */
  readonly versionsMax: number;
  /** Age of a version, milliseconds. */
  readonly ageMsMax: number;
}

/** What is known of a history when it is looked at. */
export interface HistoryRange {
  readonly stateId: string;
  readonly version: number;
  /** The oldest version that can be had. */
  readonly oldestVersion: number;
  /** The newest version that is older than the retention allows; 0 for none. */
  readonly agedVersion: number;
}

/** Everything older than the newest snapshot at or below `version` goes. */
export interface Compaction {
  readonly stateId: string;
  readonly version: number;
}

/** True where everything is kept. */
export function keepsEverything({ versionsMax, ageMsMax }: Retention): boolean {
  return versionsMax === 0 && ageMsMax === 0;
}

/**
 * Where a history is to be cut: what either bound lets go goes.
 *
 * @param stepVersionsMax - How many versions one cut may take away; the rest is left to the next.
 * @returns `null` where all of it is kept.
 */
export function cutOf(
  extent: HistoryRange,
  retention: Retention,
  stepVersionsMax: number,
): Compaction | null {
  const byCount = retention.versionsMax === 0 ? 1 : extent.version - retention.versionsMax + 1;
  const byAge = retention.ageMsMax === 0 ? 1 : extent.agedVersion + 1;
  const wanted = Math.min(Math.max(byCount, byAge), extent.version);
  if (wanted <= extent.oldestVersion) return null;
  return { stateId: extent.stateId, version: Math.min(wanted, extent.oldestVersion + stepVersionsMax) };
}
