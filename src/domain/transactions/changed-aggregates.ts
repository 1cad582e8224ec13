// Session aggregates after a commit, computed from the aggregates before it: the same as if they were loaded again.
import { isOpen } from '../lifecycle/callback.js';
import type { Callback, Completion, Run, Session } from '../records/records.js';
import { hasEnded } from '../lifecycle/run.js';
import type { Change, Changeset } from './changeset.js';
import type { SessionAggregate } from './loaded-records.js';

/** Aggregates by session; `null` if an aggregate is known to have changed, but not into what. */
type ChangedAggregates = ReadonlyMap<string, SessionAggregate | null>;

/** @param before - The aggregate of a session before the changes; `undefined` if it is not known. */
export function changedAggregates(
  changes: Changeset,
  before: (sessionId: string) => SessionAggregate | undefined,
): ChangedAggregates {
  const changed = new Map<string, SessionAggregate | null>();
  const inboxes = new Set<string>();
  const change = (sessionId: string, into: (one: SessionAggregate) => SessionAggregate | null) => {
    const known = changed.has(sessionId) ? changed.get(sessionId) : before(sessionId);
    changed.set(sessionId, known == null ? null : into(known));
  };
  for (const one of changes) apply(one, changed, change, inboxes);
  for (const sessionId of inboxes) change(sessionId, withoutDelivered);
  return changed;
}

type ChangeOne = (sessionId: string, into: (one: SessionAggregate) => SessionAggregate | null) => void;

function apply(
  one: Change,
  changed: Map<string, SessionAggregate | null>,
  change: ChangeOne,
  inboxes: Set<string>,
): void {
  if ('remove' in one) return;
  switch (one.put) {
    case 'session': {
      const session = one.record;
      if (session.revision === 1) changed.set(session.sessionId, fresh(session));
      else change(session.sessionId, (known) => withSession(known, session));
      return;
    }
    case 'completion': {
      const completion = one.record;
      change(completion.sessionId, (known) => withCompletion(known, completion));
      return;
    }
    case 'run': {
      const run = one.record;
      change(run.sessionId, (known) => withRun(known, run));
      if (hasEnded(run)) inboxes.add(run.sessionId);
      return;
    }
    case 'callback': {
      const callback = one.record;
      change(callback.parentSessionId, (known) => withInbox(known, callback));
      change(callback.childSessionId, (known) => withOutbox(known, callback));
      if (!isOpen(callback)) inboxes.add(callback.parentSessionId);
      return;
    }
    default:
  }
}

function fresh(session: Session): SessionAggregate {
  return { session, completions: [], runs: [], inbox: [], outbox: [] };
}

/** Records of past generations leave the aggregate. */
function withSession(known: SessionAggregate, session: Session): SessionAggregate {
  const { runs, inbox } = known;
  if (session.generation === known.session.generation) return { ...known, session };
  const completions = known.completions.filter((one) => one.generation >= session.generation);
  const outbox = known.outbox.filter((one) => one.childGeneration >= session.generation);
  return { session, completions, runs, inbox, outbox };
}

function withCompletion(known: SessionAggregate, completion: Completion): SessionAggregate | null {
  if (completion.generation < known.session.generation) return known;
  const completions = upserted(
    known.completions,
    completion,
    (one) => one.generation === completion.generation,
  );
  if (completions === null) return null;
  return { ...known, completions: byGeneration(completions, (one) => one.generation) };
}

function withRun(known: SessionAggregate, run: Run): SessionAggregate | null {
  const same = (one: Run) => one.runId === run.runId;
  if (hasEnded(run)) return { ...known, runs: known.runs.filter((one) => !same(one)) };
  const runs = upserted(known.runs, run, same);
  return runs === null ? null : { ...known, runs };
}

function withInbox(known: SessionAggregate, callback: Callback): SessionAggregate | null {
  const inbox = upserted(known.inbox, callback, (one) => one.callbackId === callback.callbackId);
  if (inbox !== null) return { ...known, inbox };
  // A callback may return to the inbox. Only the store knows its position.
  return isOpen(callback) || callback.runId !== null ? null : known;
}

function withOutbox(known: SessionAggregate, callback: Callback): SessionAggregate | null {
  if (callback.childGeneration < known.session.generation) return known;
  const outbox = upserted(known.outbox, callback, (one) => one.callbackId === callback.callbackId);
  return outbox === null ? null : { ...known, outbox: byGeneration(outbox, (one) => one.childGeneration) };
}

function byGeneration<T>(list: readonly T[], generationOf: (one: T) => number): readonly T[] {
  return list.length < 2 ? list : list.toSorted((a, b) => generationOf(a) - generationOf(b));
}

/** The list with a record replaced, or with a new one at its end; `null` if an old record is missing. */
function upserted<T extends { readonly revision: number }>(
  list: readonly T[],
  record: T,
  same: (one: T) => boolean,
): readonly T[] | null {
  const at = list.findLastIndex(same);
  if (at < 0) return record.revision === 1 ? [...list, record] : null;
  const copy = list.slice();
  copy[at] = record;
  return copy;
}

/** Callbacks that were delivered stay while the run that delivers them has not ended. */
function withoutDelivered(known: SessionAggregate): SessionAggregate {
  const stays = (one: Callback) =>
    isOpen(one) ||
    (one.status === 'delivered' && one.runId !== null && known.runs.some(({ runId }) => runId === one.runId));
  return { ...known, inbox: known.inbox.filter(stays) };
}
