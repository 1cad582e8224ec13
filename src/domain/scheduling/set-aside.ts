// Puts damaged records aside with the reason and reports it to the sessions that wait for them, so that one
// damaged record does not block the others of its tree forever.
import { dead } from '../lifecycle/callback.js';
import { apply } from '../completion/apply-event.js';
import { newCompletion } from '../completion/new-completion.js';
import { completionWith } from '../lifecycle/completion.js';
import type { LoadRequest } from '../transactions/loaded-records.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { ok, type Result } from '../errors.js';
import { NO_RESULT, runEnded } from '../runs/end.js';
import { hasEnded } from '../lifecycle/run.js';
import { describeDamage, type Damage, type RecordKind } from '../damage/damage.js';

const KINDS: ReadonlySet<RecordKind> = new Set(['session', 'completion', 'run', 'callback', 'tree']);

/** True for a record that is set aside with its tree. */
export const isOfTree = ({ kind }: Damage): boolean => KINDS.has(kind);

/** The due run or completion that is given up. */
export type GivenUp =
  | { readonly kind: 'run'; readonly runId: string }
  | { readonly kind: 'completion'; readonly sessionId: string };

/**
 * Puts aside all damaged records of a tree, and what is given up. The decision requests the tree as `repaired`. If that has
 * restored records, what was to be given up is tried again first.
 *
 * @param what - `null`: only what is damaged.
 * @param reason - A sentence.
 * @returns False if nothing was damaged, and nothing was to be given up.
 */
export function setAside(
  unit: UnitOfWork,
  rootSessionId: string,
  what: GivenUp | null,
  reason: string,
): Result<boolean> {
  const { repaired } = unit.records;
  const given = repaired.some(({ isRestored }) => isRestored) ? null : what;
  const lost = repaired.filter(({ isRestored }) => isRestored !== true);
  if (given?.kind === 'run') unit.need({ load: 'run', runId: given.runId });
  unit.need({ load: 'openAggregates', rootSessionId });
  needDamaged(unit, lost);
  for (const { kind, id, ...damage } of lost) {
    const because = `${describeDamage({ kind, id, ...damage })}.`;
    if (kind === 'run') giveUpRun(unit, id, because);
    if (kind === 'session') giveUpCompletion(unit, id, because);
    if (kind === 'completion') giveUpCompletion(unit, sessionOf(id), because);
    if (kind === 'callback') giveUpCallback(unit, id, because);
  }
  if (given?.kind === 'run') giveUpRun(unit, given.runId, reason);
  if (given?.kind === 'completion') giveUpCompletion(unit, given.sessionId, reason);
  for (const { session } of unit.records.aggregates.values()) {
    if (session.rootSessionId === rootSessionId && session.deletedAt === null)
      unit.touched.add(session.sessionId);
  }
  return ok(what !== null || repaired.length > 0);
}

/** Requests all damaged records together, because a decision may request more records only a few times. */
function needDamaged(unit: UnitOfWork, damaged: readonly Damage[]): void {
  const loads = damaged.flatMap(({ kind, id }): LoadRequest[] => {
    if (kind === 'run') return [{ load: 'run', runId: id }];
    if (kind === 'callback') return [{ load: 'callback', callbackId: id }];
    if (kind === 'session') return [{ load: 'aggregate', sessionId: id }];
    return kind === 'completion' ? [{ load: 'aggregate', sessionId: sessionOf(id) }] : [];
  });
  unit.need(...loads);
}

/** The session of a completion, by the id of the completion's record. */
function sessionOf(completionId: string): string {
  return completionId.replace(/@[^@]*$/, '');
}

function giveUpRun(unit: UnitOfWork, runId: string, reason: string): void {
  const run = unit.findRun(runId);
  if (run === null || unit.findAggregate(run.sessionId) === null) return;
  withCompletion(unit, run.sessionId, run.generation, reason);
  if (!hasEnded(run)) {
    runEnded(unit, run, { status: 'failed', error: reason, cause: 'environment' }, NO_RESULT);
    return;
  }
  // The run has ended but is still due: its status was damaged, or its due time was never cleared.
  if (run.dueAt !== null) unit.putRun({ ...run, dueAt: null, completedAt: run.completedAt ?? unit.now });
}

function giveUpCompletion(unit: UnitOfWork, sessionId: string, reason: string): void {
  const aggregate = unit.findAggregate(sessionId);
  if (aggregate === null) return;
  const { generation, parentSessionId } = aggregate.session;
  const isMissing = !aggregate.completions.some((one) => one.generation === generation);
  withCompletion(unit, sessionId, generation, reason);
  if (isMissing && parentSessionId === null) return;
  apply(unit, sessionId, { type: 'damaged', reason });
  const completion = unit.completion(sessionId);
  if (completion.dueAt !== null) unit.putCompletion({ ...completion, dueAt: null });
  const { runs } = unit.aggregate(sessionId);
  if (completion.workOutcome !== null || completion.releasedAt !== null || runs.length > 0) return;
  // Nothing is in progress that could still end its work.
  const none = { resultText: null, resultData: null, cause: 'environment' } as const;
  apply(unit, sessionId, { type: 'work_ended', outcome: 'failed', error: reason, ...none });
}

function giveUpCallback(unit: UnitOfWork, callbackId: string, reason: string): void {
  const callback = unit.findCallback(callbackId);
  if (callback === null || callback.status === 'acknowledged' || callback.status === 'dead') return;
  if (
    unit.findAggregate(callback.parentSessionId) === null ||
    unit.findAggregate(callback.childSessionId) === null
  ) {
    return;
  }
  unit.putCallback(dead(callback, reason));
}

/**
 * Creates the completion of a generation if it is missing: a failed one, whose work has ended unless a run does it. A root
 * has nothing to record.
 */
function withCompletion(unit: UnitOfWork, sessionId: string, generation: number, reason: string): void {
  const { session, completions, runs } = unit.aggregate(sessionId);
  if (completions.some((one) => one.generation === generation)) return;
  const { rootSessionId, settings } = session;
  const fresh = newCompletion({ sessionId, generation, rootSessionId }, settings, unit.now);
  if (session.parentSessionId === null) {
    unit.putCompletion(fresh);
    return;
  }
  const failed = completionWith(fresh, 'failed', { reason });
  const works = runs.some((run) => run.generation === generation && run.purpose !== 'state_update');
  unit.putCompletion(works ? failed : { ...failed, workOutcome: 'failed', workError: reason });
}
