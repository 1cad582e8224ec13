// Waiting for the end of a session: of its work, and of its duty to record it.
import type { Outcome } from '../domain/errors.js';
import type { SessionView } from './api/index.js';
import type { Countersign } from './service.js';

const FIRST_PACE_MS = 100;
const LAST_PACE_MS = 2000;

export interface SessionWaitOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Hears how the session stands, with each look at it. */
  readonly onLook?: (session: SessionView) => void;
}

/**
 * @param timeoutMs - `null` waits without end.
 * @param after - A run that has to be over first: a session that is given more work is at rest until that begins.
 * @returns The session, ended or, where the time was too short, not.
 */
export async function waitForSession(
  client: Countersign,
  session: string,
  timeoutMs: number | null,
  after: string | null = null,
  { signal, onLook }: SessionWaitOptions = {},
): Promise<Outcome<SessionView>> {
  const deadline = timeoutMs === null ? Infinity : performance.now() + timeoutMs;
  for (let paceMs = FIRST_PACE_MS; ; paceMs = Math.min(LAST_PACE_MS, paceMs * 1.5)) {
    const begun = after === null || (await isOver(client, after));
    const outcome = await client.sessions.get(session);
    if (!outcome.ok || performance.now() >= deadline || signal?.aborted === true) return outcome;
    onLook?.(outcome.value);
    if (begun && hasEnded(outcome.value)) return outcome;
    await new Promise((resolve) => setTimeout(resolve, Math.min(paceMs, deadline - performance.now())));
  }
}

/** Whether a run has ended; one that nobody can look at any more counts as that. */
async function isOver(client: Countersign, runId: string): Promise<boolean> {
  const run = await client.runs.get(runId);
  return !run.ok || run.value.completed_at !== null;
}

/** Between its work and its state update a session is at rest too, with the update pending. */
export function hasEnded({ status, state_update_status }: SessionView): boolean {
  return status !== 'pending' && status !== 'running' && state_update_status !== 'pending';
}

/** Ended well: the work was done and, where it was to be recorded, recorded. */
export function endedWell(session: SessionView): boolean {
  return hasEnded(session) && session.status === 'finished' && session.state_update_status !== 'failed';
}
