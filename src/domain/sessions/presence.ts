// Whether the client of an external session is still there, as far as its token depends on it. The token is refused once
// the client has ended, once another start of the session has replaced it, or while its signs of life are missing. Every
// hook and every request of the session is a sign of life. When a child is lost is in signs-of-life.ts.
//
// | the session                                   | time without a sign of life after which the token is refused |
// | --------------------------------------------- | ------------------------------------------------------------ |
// | was created with a heartbeat timeout          | that; 0 for never                                            |
// | is a root that sends heartbeats               | `sessionHeartbeatMs`                                         |
// | is any other                                  | the shorter of `sessionTokenSilenceMs` and `sessionSilenceMs` |
import type { Limits } from '../limits.js';
import type { Session } from '../records/records.js';

type SilenceLimits = Pick<Limits, 'sessionHeartbeatMs' | 'sessionSilenceMs' | 'sessionTokenSilenceMs'>;

/** `heartbeatAt` of a session whose client has ended. Only a new start of the session changes it. */
const CLIENT_ENDED = 0;

/** True if the client of an external session has ended, and no other has started since. */
export function hasClientEnded({ external, heartbeatAt }: Session): boolean {
  return external && heartbeatAt === CLIENT_ENDED;
}

export function withClientEnded(session: Session): Session {
  return { ...session, heartbeatAt: CLIENT_ENDED };
}

/** The last heartbeat of the session's present client; `null` if it has sent none, or there is no client. */
export function lastHeartbeatAt({ heartbeatAt }: Session): number | null {
  return heartbeatAt === CLIENT_ENDED ? null : heartbeatAt;
}

/** When the session's present client started it. A token of an external session is valid for one start. */
export function startedAt({ lastResumedAt, createdAt }: Session): number {
  return lastResumedAt ?? createdAt;
}

/** Time without a sign of life after which the session's token is refused, milliseconds; `null` for never. */
export function tokenSilenceMs(session: Session, limits: SilenceLimits): number | null {
  const { external, parentSessionId, heartbeatTimeoutMs } = session;
  if (!external || heartbeatTimeoutMs === 0) return null;
  if (heartbeatTimeoutMs !== null) return heartbeatTimeoutMs;
  return parentSessionId === null && lastHeartbeatAt(session) !== null
    ? limits.sessionHeartbeatMs
    : Math.min(limits.sessionTokenSilenceMs, limits.sessionSilenceMs);
}

/** True if the client of an external session has ended, or gives no more signs of life. */
export function isAway(session: Session, now: number, limits: SilenceLimits): boolean {
  if (hasClientEnded(session)) return true;
  const afterMs = tokenSilenceMs(session, limits);
  return afterMs !== null && now > lastSignAt(session) + afterMs;
}

/**
 * The session with a sign of life on record; the same session if it needs none: signs in quick succession count as one,
 * and a client that has ended gives none.
 *
 * @param regular - True for a heartbeat.
 */
export function withSign(
  session: Session,
  now: number,
  regular: boolean,
  limits: SilenceLimits & Pick<Limits, 'heartbeatsPerSilence'>,
): Session {
  if (hasClientEnded(session)) return session;
  const isRoot = session.parentSessionId === null;
  const present =
    isRoot && (regular || lastHeartbeatAt(session) !== null)
      ? { ...session, heartbeatAt: now }
      : { ...session, updatedAt: now };
  const afterMs = tokenSilenceMs(present, limits);
  if (afterMs === null) return session;
  const isFirst = isRoot && regular && lastHeartbeatAt(session) === null;
  return isFirst || now - lastSignAt(session) >= afterMs / limits.heartbeatsPerSilence ? present : session;
}

/** The session's last sign of life on record. Its start and each end of a turn update the record, too. */
function lastSignAt({ heartbeatAt, updatedAt }: Session): number {
  return Math.max(heartbeatAt ?? 0, updatedAt);
}
