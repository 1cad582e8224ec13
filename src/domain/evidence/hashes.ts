// The hashes of a state's records. Each event carries the hash of the one before, so a gap or a change is detectable;
// snapshots, heads and compaction points carry the hash of an event. docs/history-format.md describes all of them.
import { hash } from 'node:crypto';
import { quoted } from '../json/json.js';
import type { StateEvent, StateHead } from '../records/records.js';

function quotedOrNull(text: string | null): string {
  return text === null ? 'null' : quoted(text);
}

/**
 * SHA-256 (hex) over the event's canonical JSON (RFC 8785) without its own hash. The text is concatenated
 * instead of canonicalized: the members are in sorted order and the patch is canonical already. Only migrations
 * have `from_schema_id` and `to_schema_id`, and only events with a tool call have `tool_call_id`.
 */
export function eventHash(event: Omit<StateEvent, 'hash' | 'signature'>): string {
  const from = event.fromSchemaId === null ? '' : `"from_schema_id":${quoted(event.fromSchemaId)},`;
  const to = event.toSchemaId === null ? '' : `"to_schema_id":${quoted(event.toSchemaId)},`;
  const call = event.toolCallId === null ? '' : `"tool_call_id":${quoted(event.toolCallId)},`;
  const text =
    `{"created_at":${String(event.createdAt)},"event_id":${quoted(event.eventId)},${from}"kind":${quoted(event.kind)},` +
    `"late":${String(event.late)},"patch":${event.patchText},"previous_hash":${quoted(event.previousHash)},` +
    `"run_id":${quotedOrNull(event.runId)},"session_id":${quotedOrNull(event.sessionId)},"state_id":${quoted(event.stateId)},` +
    `${to}"token_name":${quotedOrNull(event.tokenName)},${call}"version":${String(event.version)}}`;
  return hash('sha256', text);
}

/** The hash of a snapshot: its document (the bytes of the text), and the event whose version it is. */
export function snapshotHash(snapshot: {
  readonly stateId: string;
  readonly version: number;
  readonly text: string;
  readonly eventHash: string;
}): string {
  return hash(
    'sha256',
    `{"document_hash":"${hash('sha256', snapshot.text)}","event_hash":${quoted(snapshot.eventHash)},"record":"snapshot",` +
      `"state_id":${quoted(snapshot.stateId)},"version":${String(snapshot.version)}}`,
  );
}

/** The hash of a head: the newest event, and what the events do not say of the state. */
export function headHash(head: StateHead): string {
  return hash(
    'sha256',
    `{"created_at":${String(head.createdAt)},"event_hash":${quoted(head.lastHash)},"lenient":${String(head.lenient)},` +
      `"record":"head","root_session_id":${quoted(head.rootSessionId)},"schema_id":${quoted(head.schemaId)},` +
      `"state_id":${quoted(head.stateId)},"unsigned_through":${String(head.unsignedThrough)},` +
      `"updated_at":${String(head.updatedAt)},"updated_by":${quotedOrNull(head.updatedBy)},` +
      `"version":${String(head.version)}}`,
  );
}

/** The hash of a compaction point: the oldest version that is kept, and the hash of the event before it. */
export function compactionHash(point: {
  readonly stateId: string;
  readonly oldestVersion: number;
  readonly previousHash: string;
}): string {
  return hash(
    'sha256',
    `{"event_hash":${quoted(point.previousHash)},"oldest_version":${String(point.oldestVersion)},` +
      `"record":"compaction","state_id":${quoted(point.stateId)}}`,
  );
}
