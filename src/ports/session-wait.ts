// Waits for the end of a session: the end of its work and of its state update.
import type { Result } from '../domain/errors.js';
import { sleep } from '../lib/backoff.js';
import type { SessionView } from './api/index.js';
import type { Countersign } from './service.js';

const FIRST_PACE_MS = 100;
const LAST_PACE_MS = 2000;

interface SessionWaitOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the session after each poll, except the last poll of a wait that timed out or was aborted. */
  readonly onLook?: (session: SessionView) => void;
}

/**
 * Polls a session until it has ended.
 *
 * @param timeoutMs - `null` waits forever.
 * @param after - Id of a run that must end first. A session with new work looks ended until that work begins.
 * @returns The session as last seen. It has not ended if the timeout or `signal` ended the wait.
 */
export async function waitForSession(
  client: Countersign,
  session: string,
  timeoutMs: number | null,
  after: string | null,
  { signal, onLook }: SessionWaitOptions = {},
): Promise<Result<SessionView>> {
  const deadline = timeoutMs === null ? Infinity : performance.now() + timeoutMs;
  for (let paceMs = FIRST_PACE_MS; ; paceMs = Math.min(LAST_PACE_MS, paceMs * 1.5)) {
    const begun = after === null || (await isOver(client, after));
    const result = await client.sessions.get(session);
    if (!result.ok || performance.now() >= deadline || signal?.aborted === true) return result;
    onLook?.(result.value);
    if (begun && hasEnded(result.value)) return result;
    await sleep(Math.min(paceMs, deadline - performance.now()), signal);
  }
}

/** True if the run has ended, or can no longer be read. */
async function isOver(client: Countersign, runId: string): Promise<boolean> {
  const run = await client.runs.get(runId);
  return !run.ok || run.value.completed_at !== null;
}

/**
 * True if the session is at rest and no state update is pending. Between its work and its state update, a
 * session is also at rest.
 */
export function hasEnded({ status, state_update_status }: SessionView): boolean {
  return status !== 'pending' && status !== 'running' && state_update_status !== 'pending';
}

/** True if the work finished and the state update did not fail. */
export function endedWell(session: SessionView): boolean {
  return hasEnded(session) && session.status === 'finished' && session.state_update_status !== 'failed';
}
