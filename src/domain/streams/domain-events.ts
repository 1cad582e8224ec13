// What a commit has to tell whoever follows sessions, runs, completions and callbacks: derived from the records that it
// changes, only where something that shows has changed. Changes of documents are told by their events.
import type { Change, Put, Remove } from '../transactions/changeset.js';
import { boundedText } from '../excerpt.js';
import type { JsonObject } from '../json/json.js';
import type { Callback, Completion, Run, Session, StateHead } from '../records/records.js';

/** Whom a notice is about. `state`: a workflow state was deleted. */
export type DomainEventKind = 'session' | 'run' | 'completion' | 'callback' | 'state';

/** Something that happened, as it was then. Immutable; kept for a while. */
export interface DomainEvent {
  readonly kind: DomainEventKind;
  /** Id of the session, run, callback or state; a completion has that of its session. */
  readonly subjectId: string;
  readonly rootSessionId: string;
  readonly createdAt: number;
  /** As followers get it. */
  readonly facts: JsonObject;
}

const TEXT_CHARACTERS_MAX = 1000;

/**
 * The notices that a decision calls for, in the order of its changes.
 *
 * @param before - The records that changes replace, by the keys of the changes.
 * @param states - The states that were loaded: a removal names only an id.
 */
export function noticesOf(
  changes: ReadonlyMap<unknown, Change>,
  before: ReadonlyMap<unknown, Put['record']>,
  states: ReadonlyMap<string, StateHead>,
  now: number,
): readonly Put[] {
  const notices: Put[] = [];
  for (const [key, change] of changes) {
    const told = 'put' in change ? changed(change, before.get(key)) : removed(change, states.get(change.id));
    if (told !== null) notices.push({ put: 'notice', record: { ...told, createdAt: now } });
  }
  return notices;
}

/** `null` where nothing has changed that shows. */
function changed(change: Put, before: Put['record'] | undefined): News | null {
  const told = newsOf(change);
  if (told === null || before === undefined) return told;
  const known = newsOf({ put: change.put, record: before } as Put);
  return JSON.stringify(known?.facts) === JSON.stringify(told.facts) ? null : told;
}

function removed(change: Remove, head: StateHead | undefined): News | null {
  if (change.remove !== 'state' || head === undefined) return null;
  const { stateId, rootSessionId } = head;
  const facts = { state_id: stateId, root_session_id: rootSessionId };
  return { kind: 'state', subjectId: stateId, rootSessionId, facts };
}

type News = Omit<DomainEvent, 'createdAt'>;

function newsOf(change: Put): News | null {
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

function ofSession(session: Session): News {
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

function ofRun(run: Run): News {
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

/** A completion that has not begun tells nothing. */
function ofCompletion(completion: Completion): News | null {
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

function ofCallback(callback: Callback): News {
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
