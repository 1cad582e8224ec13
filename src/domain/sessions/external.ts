// What an external session says of itself. Nobody can resume it, so its state update is a request that it is handed.
import { apply, settle } from '../completion/conduct.js';
import { isOver } from '../completion/machine.js';
import type { Draft } from '../draft.js';
import { accepted, refused, type Outcome } from '../errors.js';
import type { JsonValue } from '../json.js';
import type { Completion } from '../records.js';
import { findSession, noSession } from './create.js';
import { generationForNewWork } from './generation.js';

export interface SessionReport {
  readonly type: 'session_start' | 'message' | 'session_stop';
  readonly resultText: string | null;
  readonly resultData: JsonValue;
  readonly executorSessionId: string | null;
}

/**
 * Takes a session's word. A stop is the end of its work, and each further one the end of an attempt.
 * A message is a sign of life and is not kept.
 *
 * @returns The completion after it, with the request that the session has to answer; or `session_not_found`,
 *   `session_not_external`.
 */
export function sessionReported(draft: Draft, idOrName: string, said: SessionReport): Outcome<Completion> {
  const session = findSession(draft, idOrName);
  if (session === null) return noSession(idOrName);
  if (!session.external) {
    return refused(
      'session_not_external',
      `${session.sessionName} is run by a runner, which reports for it.`,
    );
  }
  const { sessionId } = session;
  const size = (said.resultText?.length ?? 0) + JSON.stringify(said.resultData).length;
  const { resultBytesMax } = draft.context.limits;
  if (size > resultBytesMax) {
    return refused(
      'limit_exceeded',
      `The result has ${String(size)} characters; at most ${String(resultBytesMax)} are allowed.`,
      {
        limit: 'resultBytesMax',
        maximum: resultBytesMax,
        actual: size,
      },
    );
  }
  if (said.executorSessionId !== null) {
    draft.putSession({ ...draft.desk(sessionId).session, executorSessionId: said.executorSessionId });
  }
  if (said.type === 'session_start') began(draft, sessionId);
  if (said.type === 'session_stop') stopped(draft, sessionId, said);
  if (said.type === 'message') draft.putSession({ ...draft.desk(sessionId).session, updatedAt: draft.now });
  return accepted(draft.completion(sessionId));
}

function began(draft: Draft, sessionId: string): void {
  if (isOver(draft.completion(sessionId))) generationForNewWork(draft, sessionId);
  const { session } = draft.desk(sessionId);
  const resumed = session.status !== 'pending';
  draft.putSession({
    ...session,
    status: 'running',
    updatedAt: draft.now,
    lastResumedAt: resumed ? draft.now : session.lastResumedAt,
  });
}

function stopped(draft: Draft, sessionId: string, said: SessionReport): void {
  const completion = draft.completion(sessionId);
  draft.putSession({ ...draft.desk(sessionId).session, status: 'finished', updatedAt: draft.now });
  if (completion.attempts.at(-1)?.outcome === 'open') {
    apply(draft, sessionId, { type: 'update_ended', how: 'ended', error: null });
  } else {
    apply(draft, sessionId, {
      type: 'work_ended',
      outcome: 'completed',
      resultText: said.resultText,
      resultData: said.resultData,
      error: null,
      cause: null,
    });
  }
  settle(draft, sessionId);
}
