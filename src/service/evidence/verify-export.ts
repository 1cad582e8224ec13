// Verifies the events of an exported state. An export has no snapshots and no signed head.
import { isJsonObject, jsonEqual, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import type { Evidence } from '../../domain/evidence/check.js';
import { HistoryCheck } from '../../domain/evidence/history-check.js';
import type { EventKind, StateEvent, StateHead } from '../../domain/records/records.js';
import { canonicalJson } from '../../document/canonical.js';
import { replayPatch } from '../operations/doctor.js';

/** The result of the verification of an export. */
interface VerifiedExport {
  readonly stateId: string;
  readonly events: number;
  readonly unsigned: number;
  /** The first record that fails verification; `null` if none does. */
  readonly first: { readonly version: number | null; readonly what: string } | null;
  readonly isExpected: boolean;
}

/** @returns `null` if it is no export with a history. */
export function verifyExport(
  file: JsonValue,
  evidence: Evidence,
  expectedHash?: string,
): VerifiedExport | null {
  if (!isJsonObject(file) || !isJsonObject(file['state']) || !Array.isArray(file['events'])) return null;
  const { state, version, current_data: current, events: given } = file;
  const stateId = textOf(state, 'state_id');
  const rootSessionId = textOf(state, 'root_session_id') ?? '';
  if (stateId === null || typeof version !== 'number' || !isJsonObject(current)) return null;
  const events: StateEvent[] = [];
  for (const one of given as readonly JsonValue[]) {
    const event = isJsonObject(one) ? eventOf(one, stateId, rootSessionId) : null;
    if (event === null) return null;
    events.push(event);
  }
  const of = {
    stateId,
    events: events.length,
    unsigned: events.filter((one) => one.signature === null).length,
  };
  const isExpected = events.some(({ hash }) => hash === expectedHash);
  const first = firstFault(events, evidence, { stateId, rootSessionId, version }, current);
  return { ...of, first, isExpected };
}

function firstFault(
  events: readonly StateEvent[],
  evidence: Evidence,
  state: { readonly stateId: string; readonly rootSessionId: string; readonly version: number },
  current: JsonObject,
): VerifiedExport['first'] {
  const { version } = state;
  const firstSigned = events.find((event) => event.signature !== null)?.version ?? Infinity;
  const head: StateHead = {
    ...{ ...state, schemaId: '', snapshotVersion: 1, patchBytesSinceSnapshot: 0, lastHash: '' },
    ...{ createdAt: 0, updatedAt: 0, updatedBy: null, lenient: false, revision: 1, signature: null },
    unsignedThrough: firstSigned - 1,
  };
  const check = new HistoryCheck(evidence, replayPatch, head, null);
  for (const [index, event] of events.entries()) {
    // A compacted history begins with a later version.
    const isStart = index === 0 && event.version > 1;
    const fault = check.add(event, null).find((one) => !isStart || one.check !== 'history_complete');
    if (fault !== undefined) return fault;
  }
  const last = events.at(-1)?.version ?? 0;
  if (last !== version) return { version: Math.min(last, version) + 1, what: 'the event is missing' };
  if (check.document !== null && !jsonEqual(check.document, current))
    return { version, what: 'the document is not what the history comes to' };
  return null;
}

function eventOf(view: JsonObject, stateId: string, rootSessionId: string): StateEvent | null {
  const { version, patch, late, created_at: createdAt } = view;
  const texts = ['event_id', 'kind', 'previous_hash', 'hash'].map((name) => textOf(view, name));
  const [eventId, kind, previousHash, hash] = texts;
  if (eventId == null || kind == null || previousHash == null || hash == null) return null;
  if (typeof version !== 'number' || typeof createdAt !== 'string' || !Array.isArray(patch)) return null;
  return {
    ...{ eventId, stateId, rootSessionId, version, previousHash, hash },
    // Any other kind has another hash.
    kind: kind as EventKind,
    patchText: canonicalJson(patch),
    sessionId: textOf(view, 'session_id'),
    runId: textOf(view, 'run_id'),
    tokenName: textOf(view, 'token_name'),
    toolCallId: textOf(view, 'tool_call_id'),
    late: late === true,
    createdAt: Date.parse(createdAt),
    fromSchemaId: textOf(view, 'from_schema_id'),
    toSchemaId: textOf(view, 'to_schema_id'),
    signature: textOf(view, 'signature'),
  };
}

function textOf(value: JsonObject, name: string): string | null {
  const text = value[name];
  return typeof text === 'string' ? text : null;
}
