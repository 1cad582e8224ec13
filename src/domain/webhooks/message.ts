// The bodies of messages: `{type, timestamp, data}`, as Standard Webhooks defines it, each bounded in size.
import type { JsonObject, JsonValue } from '../json/json.js';
import type { Limits } from '../limits.js';
import type { StateEvent, WebhookDelivery } from '../records/records.js';

/** A body as JSON text. */
export function bodyOf(type: WebhookDelivery['type'], at: number, data: JsonObject): string {
  return JSON.stringify({ type, timestamp: timeOf(at), data });
}

/** The body of a callback with a summary of the state, as it is when the message is sent. */
export function withStateSummary(body: string, summary: string): string {
  const message = JSON.parse(body) as { readonly data: JsonObject };
  return JSON.stringify({ ...message, data: { ...message.data, state_summary: summary } });
}

/** One accepted write. The patch is `null` if it is too long; `read_more` then says where to read it. */
export function stateData(event: StateEvent, limits: Limits): JsonObject {
  const patchBytes = Buffer.byteLength(event.patchText);
  const whole = patchBytes <= limits.webhookPatchBytesMax;
  return {
    state_id: event.stateId,
    root_session_id: event.rootSessionId,
    version: event.version,
    kind: event.kind,
    patch: whole ? (JSON.parse(event.patchText) as JsonValue) : null,
    ...(whole
      ? {}
      : {
          patch_bytes: patchBytes,
          read_more: `/workflow-states/${event.stateId}/events?since=${String(event.version - 1)}&limit=1`,
        }),
    updated_by_session: event.sessionId,
    run_id: event.runId,
    late: event.late,
    timestamp: timeOf(event.createdAt),
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
