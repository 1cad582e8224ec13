// Waiting for the end of a session: of its work, and of its duty to record it.
import type { Outcome } from '../../domain/errors.js';
import type { SessionView } from '../../ports/api/index.js';
import type { Countersign } from '../../ports/service.js';

const FIRST_PACE_MS = 100;
const LAST_PACE_MS = 2000;

/** @returns The session, ended or, where the time was too short, not; `null` for the time waits without end. */
export async function waitForSession(
  client: Countersign,
  session: string,
  timeoutMs: number | null,
): Promise<Outcome<SessionView>> {
  const deadline = timeoutMs === null ? Infinity : performance.now() + timeoutMs;
  for (let paceMs = FIRST_PACE_MS; ; paceMs = Math.min(LAST_PACE_MS, paceMs * 1.5)) {
    const outcome = await client.sessions.get(session);
    if (!outcome.ok || hasEnded(outcome.value) || performance.now() >= deadline) return outcome;
    await new Promise((resolve) => setTimeout(resolve, Math.min(paceMs, deadline - performance.now())));
  }
}

/** Between its work and its state update a session is at rest too, with the update pending. */
export function hasEnded({ status, state_update_status }: SessionView): boolean {
  return status !== 'pending' && status !== 'running' && state_update_status !== 'pending';
}

/** Ended well: the work was done and, where it was to be recorded, recorded. */
export function endedWell(session: SessionView): boolean {
  return hasEnded(session) && session.status === 'finished' && session.state_update_status !== 'failed';
}
