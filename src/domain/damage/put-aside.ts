// Puts damaged records aside with the reason and reports it to the sessions that wait for them, so that one
// damaged record does not block the others of its tree forever.
import { dead } from '../callbacks/status.js';
import { apply } from '../completion/conduct.js';
import { newCompletion } from '../completion/new-completion.js';
import { completionWith } from '../completion/status.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { accepted, type Outcome } from '../errors.js';
import { NO_RESULT, runEnded } from '../runs/end.js';
import { describeDamage } from './damage.js';

/** The due run or completion that is given up. */
export type GivenUp =
  | { readonly kind: 'run'; readonly runId: string }
  | { readonly kind: 'completion'; readonly sessionId: string };

/**
 * Puts aside all damaged records of a tree, and what is given up. The decision requests the tree as `mended`.
 *
 * @param reason - A sentence.
 */
export function putAside(
  draft: UnitOfWork,
  rootSessionId: string,
  what: GivenUp,
  reason: string,
): Outcome<null> {
  if (what.kind === 'run') draft.need({ want: 'run', runId: what.runId });
  draft.need({ want: 'openDesks', rootSessionId });
  for (const { kind, id, ...damage } of draft.family.mended) {
    const because = `${describeDamage({ kind, id, ...damage })}.`;
    if (kind === 'run') giveUpRun(draft, id, because);
    if (kind === 'session') giveUpCompletion(draft, id, because);
    if (kind === 'completion') giveUpCompletion(draft, id.replace(/@[^@]*$/, ''), because);
    if (kind === 'callback') giveUpCallback(draft, id, because);
  }
  if (what.kind === 'run') giveUpRun(draft, what.runId, reason);
  else giveUpCompletion(draft, what.sessionId, reason);
  for (const { session } of draft.family.desks.values()) {
    if (session.rootSessionId === rootSessionId && session.deletedAt === null)
      draft.touched.add(session.sessionId);
  }
  return accepted(null);
}

function giveUpRun(draft: UnitOfWork, runId: string, reason: string): void {
  draft.need({ want: 'run', runId });
  const loaded = draft.family.runs.get(runId);
  if (loaded === undefined || draft.findDesk(loaded.sessionId) === null) return;
  withCompletion(draft, loaded.sessionId, loaded.generation, reason);
  const run = draft.desk(loaded.sessionId).runs.find((one) => one.runId === runId);
  if (run !== undefined) {
    runEnded(draft, run, { status: 'failed', error: reason, cause: 'environment' }, NO_RESULT);
    return;
  }
  // The run has ended but is still due: its status was damaged, or its due time was never cleared.
  if (loaded.dueAt !== null)
    draft.putRun({ ...loaded, dueAt: null, completedAt: loaded.completedAt ?? draft.now });
}

function giveUpCompletion(draft: UnitOfWork, sessionId: string, reason: string): void {
  const desk = draft.findDesk(sessionId);
  if (desk === null) return;
  withCompletion(draft, sessionId, desk.session.generation, reason);
  apply(draft, sessionId, { type: 'damaged', reason });
  const completion = draft.completion(sessionId);
  if (completion.dueAt !== null) draft.putCompletion({ ...completion, dueAt: null });
  const { runs } = draft.desk(sessionId);
  if (completion.workOutcome !== null || completion.releasedAt !== null || runs.length > 0) return;
  // Nothing is in progress that could still end its work.
  const none = { resultText: null, resultData: null, cause: 'environment' } as const;
  apply(draft, sessionId, { type: 'work_ended', outcome: 'failed', error: reason, ...none });
}

function giveUpCallback(draft: UnitOfWork, callbackId: string, reason: string): void {
  draft.need({ want: 'callback', callbackId });
  const callback = draft.family.callbacks.get(callbackId);
  if (callback === undefined || callback.status === 'acknowledged' || callback.status === 'dead') return;
  if (draft.findDesk(callback.parentSessionId) === null || draft.findDesk(callback.childSessionId) === null) {
    return;
  }
  draft.putCallback(dead(callback, reason));
}

/** Creates a failed completion if the session lacks the one of its generation. */
function withCompletion(draft: UnitOfWork, sessionId: string, generation: number, reason: string): void {
  const { session, completions } = draft.desk(sessionId);
  if (completions.some((one) => one.generation === generation)) return;
  const { rootSessionId, settings } = session;
  const fresh = newCompletion({ sessionId, generation, rootSessionId }, settings, draft.now);
  draft.putCompletion(completionWith(fresh, 'failed', { reason }));
}
