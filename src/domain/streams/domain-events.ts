// The domain events of a commit, for followers of sessions, runs, completions and callbacks. Derived from the
// changed records; a change without a visible difference gives no event. State events report changes of
// documents.
import type { Put, Remove } from '../transactions/changeset.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { boundedText } from '../excerpt.js';
import type { JsonObject } from '../json/json.js';
import type { DomainEvent } from '../records/domain-event.js';
import type { Callback, Completion, Run, Session, StateHead } from '../records/records.js';

const TEXT_CHARACTERS_MAX = 1000;

/** The domain events of a decision, in the order of its changes. */
export function domainEventsOf(unit: UnitOfWork): readonly Put[] {
  const { changesByKey, replacedByKey, records, now } = unit;
  const notices: Put[] = [];
  for (const [key, change] of changesByKey) {
    const event =
      'put' in change
        ? changed(change, replacedByKey.get(key))
        : // A removal names only an id.
          removed(change, records.states.get(change.id));
    if (event !== null) notices.push({ put: 'notice', record: { createdAt: now, ...event } });
  }
  return notices;
}

/** `null` if no visible fact changed. */
function changed(change: Put, before: Put['record'] | undefined): NewEvent | null {
  const event = eventOf(change);
  if (event === null || before === undefined) return event;
  const known = eventOf({ put: change.put, record: before } as Put);
  return known !== null && isSame(known.facts, event.facts) ? null : event;
}

/** Facts of one kind of record have the same members, and no nested values. */
function isSame(before: JsonObject, after: JsonObject): boolean {
  for (const name in after) if (before[name] !== after[name]) return false;
  return true;
}

function removed(change: Remove, head: StateHead | undefined): NewEvent | null {
  if (change.remove !== 'state' || head === undefined) return null;
  const { stateId, rootSessionId } = head;
  const facts = { state_id: stateId, root_session_id: rootSessionId };
  return { kind: 'state', subjectId: stateId, rootSessionId, facts };
}

type NewEvent = Omit<DomainEvent, 'createdAt'>;

function eventOf(change: Put): NewEvent | null {
  switch (change.put) {
    case 'session':
      return ofSession(change.record);
    case 'run':
      return ofRun(change.record);
    case 'completion':
      return ofCompletion(change.record);
    case 'callback':
      return ofCallback(change.record);
    default:
      return null;
  }
}

function ofSession(session: Session): NewEvent {
  return {
    kind: 'session',
    subjectId: session.sessionId,
    rootSessionId: session.rootSessionId,
    facts: {
      session_id: session.sessionId,
      session_name: session.sessionName,
      parent_session_id: session.parentSessionId,
      root_session_id: session.rootSessionId,
      status: session.status,
      generation: session.generation,
      deleted: session.deletedAt !== null,
    },
  };
}

function ofRun(run: Run): NewEvent {
  return {
    kind: 'run',
    subjectId: run.runId,
    rootSessionId: run.rootSessionId,
    facts: {
      run_id: run.runId,
      session_id: run.sessionId,
      session_name: run.sessionName,
      root_session_id: run.rootSessionId,
      type: run.type,
      purpose: run.purpose,
      status: run.status,
      attempt: run.attempt,
      runner_id: run.runnerId,
      error: run.error === null ? null : boundedText(run.error, TEXT_CHARACTERS_MAX),
    },
  };
}

/** A completion that has not begun gives no event. */
function ofCompletion(completion: Completion): NewEvent | null {
  if (completion.status === 'none') return null;
  return {
    kind: 'completion',
    subjectId: completion.sessionId,
    rootSessionId: completion.rootSessionId,
    facts: {
      session_id: completion.sessionId,
      root_session_id: completion.rootSessionId,
      generation: completion.generation,
      state_update_status: completion.status,
      attempt: completion.attempt,
      max_attempts: completion.settings.attemptsMax,
      reason: completion.reason === null ? null : boundedText(completion.reason, TEXT_CHARACTERS_MAX),
      released: completion.releasedAt !== null,
    },
  };
}

function ofCallback(callback: Callback): NewEvent {
  return {
    kind: 'callback',
    subjectId: callback.callbackId,
    rootSessionId: callback.rootSessionId,
    facts: {
      callback_id: callback.callbackId,
      parent_session_id: callback.parentSessionId,
      child_session_id: callback.childSessionId,
      root_session_id: callback.rootSessionId,
      status: callback.status,
      delivery: callback.delivery,
      run_id: callback.runId,
      outcome: callback.outcome,
      state_update_status: callback.updateStatus,
      workflow_state_version: callback.stateVersion,
    },
  };
}
