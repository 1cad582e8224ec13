// A record of a change for followers of streams. `streams/domain-events.ts` derives it.
import type { JsonObject } from '../json/json.js';

/** The kind of record that an event is about. `state`: a workflow state was deleted. */
export type DomainEventKind = 'session' | 'run' | 'completion' | 'callback' | 'state';

/** A change, with the facts of that time. Immutable; kept for a limited time. */
export interface DomainEvent {
  readonly kind: DomainEventKind;
  /** Id of the session, run, callback or state. An event about a completion has the id of its session. */
  readonly subjectId: string;
  readonly rootSessionId: string;
  readonly createdAt: number;
  /** The data that followers receive. */
  readonly facts: JsonObject;
}
