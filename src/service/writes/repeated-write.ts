// A write that puts once more what its session has put already: whether that is its own still.
import { isSubAgent } from '../../domain/hooks/binding.js';
import { mayChange } from '../../domain/json/patch-places.js';
import type { StateHead } from '../../domain/records/records.js';
import type { RepeatedWrite, WriteStep } from '../../domain/states/write.js';
import type { Limits } from '../../domain/limits.js';
import type { Store } from '../../ports/storage/store.js';
import { patchOf } from '../documents/patch-of.js';

interface Parts {
  readonly store: Store;
  readonly limits: Limits;
}

/**
 * @param ahead - Writes that are to be committed before it.
 * @returns What its completion is to hear; `null` where the contract's place was last written by another one (which is no
 *   sub-agent of its own), or before
 *   this generation, or that cannot be told from the newest events.
 */
export async function repeatedWrite(
  { store, limits }: Parts,
  { stateId, version }: StateHead,
  ahead: readonly WriteStep[],
  sessionId: string,
): Promise<RepeatedWrite | null> {
  const completion = await store.read.completion(sessionId);
  const contract = completion?.settings.contract ?? null;
  if (completion?.status !== 'pending' || contract === null) return null;
  const repeated = { sessionId, generation: completion.generation, contract };
  const newest = ahead.findLast(
    ({ write }) => write !== undefined && mayChange(write.patch, contract.pointer),
  );
  const own = async (writer: string | null) =>
    writer === sessionId || (writer !== null && (await worksFor(store, writer, sessionId)));
  if (newest?.write !== undefined) return (await own(newest.write.writer.sessionId)) ? repeated : null;
  const first = completion.changes[0]?.version ?? completion.lastWriteVersion;
  if (first === null || first > version) return null;
  const { events, hasMore } = await store.read.events(
    stateId,
    first - 1,
    limits.culpritEventsMax,
    limits.eventBytesPerPageMax,
  );
  if (hasMore) return null;
  const last = events.findLast((event) => mayChange(patchOf(event), contract.pointer));
  return last !== undefined && (await own(last.sessionId)) ? repeated : null;
}

/** Whether a writer is a sub-agent of the session: what it wrote counts for that one. */
async function worksFor(store: Store, writer: string, sessionId: string): Promise<boolean> {
  const session = await store.read.session(writer);
  return session !== null && session.parentSessionId === sessionId && isSubAgent(session);
}
