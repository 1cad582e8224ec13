// The chain of a state's events: each carries the hash of the one before, so that a gap or a change shows.
import { hash } from 'node:crypto';
import type { StateEvent } from '../records.js';

/**
 * SHA-256 (hex) over the event's canonical JSON (RFC 8785) without its own hash. The members stand in sorted order
 * and the patch is canonical already, so the text is put together instead of being canonicalized again.
 * The members of migrations are left out of all other events.
 */
export function eventHash(event: Omit<StateEvent, 'hash'>): string {
  const text = [
    `{"created_at":${String(event.createdAt)}`,
    `"event_id":${JSON.stringify(event.eventId)}`,
    ...(event.fromSchemaId === null ? [] : [`"from_schema_id":${JSON.stringify(event.fromSchemaId)}`]),
    `"kind":${JSON.stringify(event.kind)}`,
    `"late":${String(event.late)}`,
    `"patch":${event.patchText}`,
    `"previous_hash":${JSON.stringify(event.previousHash)}`,
    `"run_id":${JSON.stringify(event.runId)}`,
    `"session_id":${JSON.stringify(event.sessionId)}`,
    `"state_id":${JSON.stringify(event.stateId)}`,
    ...(event.toSchemaId === null ? [] : [`"to_schema_id":${JSON.stringify(event.toSchemaId)}`]),
    `"token_name":${JSON.stringify(event.tokenName)}`,
    `"version":${String(event.version)}}`,
  ].join(',');
  return hash('sha256', text);
}
