// Stream events in the form of the API.
import type { JsonObject } from '../../domain/json/json.js';
import type { DomainEvent, DomainEventKind } from '../../domain/records/domain-event.js';
import type { StateEvent } from '../../domain/records/records.js';
import type { StreamEvent } from '../../ports/api/index.js';
import type { FeedItem, FeedPosition } from '../../ports/storage/feed.js';
import { patchOf } from '../documents/patch-of.js';
import { time } from '../views.js';

const NAMES: Readonly<Record<DomainEventKind, StreamEvent['event']>> = {
  session: 'session_updated',
  run: 'run_updated',
  completion: 'completion_updated',
  callback: 'callback_updated',
  state: 'workflow_state_deleted',
};

/** The event id of a position in the feed. */
export function idOfPosition({ events, notices }: FeedPosition): string {
  return `${String(events)}-${String(notices)}`;
}

/** @returns The position that an event id encodes; `null` if the id is malformed. */
export function positionOfId(id: string): FeedPosition | null {
  const [, events, notices] = /^([0-9]{1,15})-([0-9]{1,15})$/.exec(id) ?? [];
  return events === undefined || notices === undefined
    ? null
    : { events: Number(events), notices: Number(notices) };
}

export function updateOf(event: StateEvent, id: string): StreamEvent {
  return {
    id,
    event: 'workflow_state_updated',
    data: {
      event_id: event.eventId,
      state_id: event.stateId,
      version: event.version,
      kind: event.kind,
      patch: [...patchOf(event)],
      updated_by_session: event.sessionId,
      run_id: event.runId,
      token_name: event.tokenName,
      ...(event.toolCallId === null ? {} : { tool_call_id: event.toolCallId }),
      late: event.late,
      ...(event.toSchemaId === null
        ? {}
        : { from_schema_id: event.fromSchemaId, to_schema_id: event.toSchemaId }),
      timestamp: time(event.createdAt),
      previous_hash: event.previousHash,
      hash: event.hash,
      signature: event.signature,
    },
  };
}

function domainEventData(notice: DomainEvent, id: string): StreamEvent {
  const timestamp = time(notice.createdAt);
  // The facts are stored as JSON. The rule that creates a domain event gives them the form of its kind.
  return { id, event: NAMES[notice.kind], data: { ...notice.facts, timestamp } } as unknown as StreamEvent;
}

export function itemView(item: FeedItem): StreamEvent {
  const id = idOfPosition(item.position);
  return 'event' in item ? updateOf(item.event, id) : domainEventData(item.notice, id);
}

export function bookmark(id: string): StreamEvent {
  return { id, event: 'bookmark', data: {} };
}

/** The last event of a stream, with the reason for its end. All but `refused` can be resumed from the last id. */
export function dropped(
  id: string,
  reason: 'too_slow' | 'stopping' | 'expired' | 'unavailable' | 'refused',
  more: JsonObject = {},
): StreamEvent {
  return { id, event: 'dropped', data: { reason, ...more } };
}
