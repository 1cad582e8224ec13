// The failure for a version that a compaction has removed from the history.
import { refused, type Refusal } from '../../domain/errors.js';
import type { ServiceContext } from '../context.js';

/** @returns `version_compacted` if the version is older than the history; `null` if it is not. */
export async function compacted(
  { store }: Pick<ServiceContext, 'store'>,
  stateId: string,
  version: number,
): Promise<{ readonly ok: false; readonly refusal: Refusal } | null> {
  const oldest = await store.read.oldestVersion(stateId);
  if (version >= oldest) return null;
  return refused(
    'version_compacted',
    `Version ${String(version)} is not kept any more; the oldest that is, is ${String(oldest)}.`,
    { version, oldest_version: oldest },
  );
}
