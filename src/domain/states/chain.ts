// The hash chain of a state's events. Each event carries the hash of the one before, so a gap or a change is
// detectable.
import { hash } from 'node:crypto';
import { quoted } from '../json/json.js';
import type { StateEvent } from '../records/records.js';

function quotedOrNull(text: string | null): string {
  return text === null ? 'null' : quoted(text);
}

/**
 * SHA-256 (hex) over the event's canonical JSON (RFC 8785) without its own hash. The text is concatenated
 * instead of canonicalized: the members are in sorted order and the patch is canonical already. Only migrations
 * have `from_schema_id` and `to_schema_id`, and only events with a tool call have `tool_call_id`.
 */
export function eventHash(event: Omit<StateEvent, 'hash'>): string {
  const from = event.fromSchemaId === null ? '' : `"from_schema_id":${quoted(event.fromSchemaId)},`;
  const to = event.toSchemaId === null ? '' : `"to_schema_id":${quoted(event.toSchemaId)},`;
  const call = event.toolCallId === null ? '' : `"tool_call_id":${quoted(event.toolCallId)},`;
  const text =
    `{"created_at":${String(event.createdAt)},"event_id":${quoted(event.eventId)},${from}"kind":"${event.kind}",` +
    `"late":${String(event.late)},"patch":${event.patchText},"previous_hash":"${event.previousHash}",` +
    `"run_id":${quotedOrNull(event.runId)},"session_id":${quotedOrNull(event.sessionId)},"state_id":${quoted(event.stateId)},` +
    `${to}"token_name":${quotedOrNull(event.tokenName)},${call}"version":${String(event.version)}}`;
  return hash('sha256', text);
}
