// Decides whether a write without a change repeats the session's own earlier write.
import { isSubAgent } from '../../domain/session-ids.js';
import { mayChange } from '../../domain/json/patch-locations.js';
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
 * @param runId - The run of the session that writes; `null` if none does.
 * @param ahead - Writes that are to be committed before it.
 * @returns The event for its completion; `null` if the newest events do not show that the session or one of its
 *   sub-agents wrote last at the contract's location, in this generation.
 */
export async function repeatedWrite(
  { store, limits }: Parts,
  { stateId, version }: StateHead,
  ahead: readonly WriteStep[],
  sessionId: string,
  runId: string | null,
): Promise<RepeatedWrite | null> {
  const completion = await store.read.completion(sessionId);
  const contract = completion?.settings.contract ?? null;
  if (completion?.status !== 'pending' || contract === null) return null;
  const repeated = { sessionId, runId, generation: completion.generation, contract };
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

/** Whether a writer is a sub-agent of the session. Its writes count as the session's. */
async function worksFor(store: Store, writer: string, sessionId: string): Promise<boolean> {
  const session = await store.read.session(writer);
  return session !== null && session.parentSessionId === sessionId && isSubAgent(session);
}
