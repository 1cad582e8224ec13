// Verifies the events of an exported state. An export has no snapshots and no signed head.
import { isJsonObject, jsonEqual, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { textMember } from '../../domain/json/members.js';
import type { Evidence } from '../../domain/evidence/check.js';
import { firstUnprotected, keyIdsOf } from '../../domain/evidence/export-keys.js';
import { HistoryCheck } from '../../domain/evidence/history-check.js';
import type { StateEvent, StateHead } from '../../domain/records/records.js';
import { replayPatch } from '../operations/doctor.js';
import { time } from '../views.js';
import { exportedEvent, type ExportedEvent } from './exported-event.js';

/** The result of the verification of an export. */
interface VerifiedExport {
  readonly stateId: string;
  readonly events: number;
  readonly unsigned: number;
  /** The first record that fails verification; `null` if none does. */
  readonly first: { readonly version: number | null; readonly what: string } | null;
  readonly isExpected: boolean;
}

interface ExportedState {
  readonly stateId: string;
  readonly rootSessionId: string;
  readonly version: number;
  readonly current: JsonObject;
  /** What the export says of the state beside its history. */
  readonly head: JsonObject;
}

/** @returns `null` if it is no export with a history. */
export function verifyExport(
  file: JsonValue,
  evidence: Evidence,
  expectedHash?: string,
): VerifiedExport | null {
  if (!isJsonObject(file) || !isJsonObject(file['state']) || !Array.isArray(file['events'])) return null;
  const { state, version, current_data: current, events: given } = file;
  const stateId = textMember(state, 'state_id');
  const rootSessionId = textMember(state, 'root_session_id') ?? '';
  if (stateId === null || typeof version !== 'number' || !isJsonObject(current)) return null;
  const { events, misfit } = parsed(given as readonly JsonValue[], { stateId, rootSessionId });
  return {
    stateId,
    events: given.length,
    unsigned: events.filter((one) => one.signature === null).length,
    first: firstFault(events, misfit, evidence, { stateId, rootSessionId, version, current, head: state }),
    isExpected: events.some(({ hash }) => hash === expectedHash),
  };
}

type Misfit = Exclude<ExportedEvent, { readonly event: StateEvent }>;

/** The events up to the first one that is none, and what is wrong with that. */
function parsed(
  given: readonly JsonValue[],
  state: Pick<StateEvent, 'stateId' | 'rootSessionId'>,
): { readonly events: readonly StateEvent[]; readonly misfit: Misfit | null } {
  const events: StateEvent[] = [];
  for (const one of given) {
    const found = exportedEvent(one, state, events.at(-1)?.version ?? null);
    if (!('event' in found)) return { events, misfit: found };
    events.push(found.event);
  }
  return { events, misfit: null };
}

function firstFault(
  events: readonly StateEvent[],
  misfit: Misfit | null,
  { keys, retired }: Evidence,
  { current, head, ...state }: ExportedState,
): VerifiedExport['first'] {
  const { version } = state;
  // The chain protects what other keys have signed, up to a valid signature: see `firstUnprotected`.
  const evidence = { keys, retired: [...retired, ...keyIdsOf(events)] };
  const check = new HistoryCheck(evidence, replayPatch, headOf(events, state), null);
  for (const [index, event] of events.entries()) {
    // A compacted history begins with a later version.
    const isStart = index === 0 && event.version > 1;
    const fault = check.add(event, null).find((one) => !isStart || one.check !== 'history_complete');
    if (fault !== undefined) return fault;
  }
  if (misfit !== null) return { version: misfit.version, what: `the event ${misfit.wrong}` };
  const unprotected = keys === null ? undefined : firstUnprotected(keys, events);
  if (unprotected !== undefined) {
    const what = 'the event and all after it are signed with keys that are not known';
    return { version: unprotected.version, what };
  }
  const last = events.at(-1)?.version ?? 0;
  // Each state has a first version.
  if (last === 0 || last !== version) {
    return { version: Math.max(0, Math.floor(Math.min(last, version))) + 1, what: 'the event is missing' };
  }
  if (check.document !== null && !jsonEqual(check.document, current))
    return { version, what: 'the document is not what the history comes to' };
  return misstated(head, events);
}

/** The first member of the state that the history contradicts; what is missing says nothing. */
function misstated(head: JsonObject, events: readonly StateEvent[]): VerifiedExport['first'] {
  const [first, last] = [events[0], events.at(-1)];
  const known: Readonly<Record<string, string | null>> = {
    ...(first?.version === 1 ? { created_at: time(first.createdAt) } : {}),
    ...(last === undefined ? {} : { updated_at: time(last.createdAt), updated_by: last.sessionId }),
  };
  const wrong = Object.keys(known).find((name) => Object.hasOwn(head, name) && head[name] !== known[name]);
  return wrong === undefined
    ? null
    : { version: null, what: `the state has another ${wrong} than its history` };
}

/** A head for the check of the events. The first ones may be from before the secret. */
function headOf(
  events: readonly StateEvent[],
  state: Pick<StateHead, 'stateId' | 'rootSessionId' | 'version'>,
): StateHead {
  const firstSigned = events.find((event) => event.signature !== null)?.version ?? Infinity;
  return {
    ...{ ...state, schemaId: '', snapshotVersion: 1, patchBytesSinceSnapshot: 0, lastHash: '' },
    ...{ createdAt: 0, updatedAt: 0, updatedBy: null, lenient: false, revision: 1, signature: null },
    unsignedThrough: firstSigned - 1,
  };
}
