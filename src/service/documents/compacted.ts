// Checks that the history of a state still has a version.
import { checkKept } from '../../domain/states/expected-version.js';
import type { Store } from '../../ports/storage/store.js';

interface Parts {
  readonly store: Store;
}

/** @returns `version_compacted` if the version is older than the history; `null` if it is not. */
export async function compacted(
  { store }: Parts,
  stateId: string,
  version: number,
): Promise<ReturnType<typeof checkKept>> {
  return checkKept(version, await store.read.oldestVersion(stateId));
}
