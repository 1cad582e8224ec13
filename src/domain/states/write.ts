// Turns prepared writes into versions. Each write was applied to the one before, validated, and checked against
// its write scope. Here the writes become events, and the completions of their writers get them as input.
import { apply } from '../completion/apply-event.js';
import { isOwnResult } from '../completion/changes.js';
import { isSameContract } from '../completion/same-contract.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { ok, fail, type Result, type Violation } from '../errors.js';
import { isSubAgent } from '../session-ids.js';
import { jsonEqual } from '../json/json.js';
import type { ChangesAt } from '../json/changed-locations.js';
import type { ValueHashAt } from '../json/value-hash.js';
import type { Patch } from '../json/patch.js';
import type { CompletionSettings, Contract, EventKind, StateEvent, StateHead } from '../records/records.js';
import type { NewArchive } from '../workflow/archive.js';
import { seal, sealedHead, sealedSnapshot } from '../evidence/seal.js';

/** Who writes. All `null` for the operator. */
export interface Writer {
  readonly sessionId: string | null;
  readonly runId: string | null;
  readonly tokenName: string | null;
  readonly toolCallId?: string | undefined;
}

export const OPERATOR: Writer = { sessionId: null, runId: null, tokenName: null };

/** The writing session's completion at the time when the write was prepared. */
export interface WriterTerms {
  readonly generation: number;
  readonly settings: CompletionSettings;
}

export interface PreparedWrite {
  readonly kind: EventKind;
  readonly writer: Writer;
  /** `null` if the writer is no session. */
  readonly terms: WriterTerms | null;
  readonly patch: Patch;
  /** The patch in canonical form. */
  readonly patchText: string;
  readonly changesAt: ChangesAt;
  /** Hashes what the write leaves at a pointer. */
  readonly valueHashAt: ValueHashAt;
  /** The document after the write, as JSON text. */
  readonly text: string;
  /** How that document violates the writer's contract. */
  readonly contractViolations: readonly Violation[];
  /** Contracts of other sessions that the write breaks or satisfies again. */
  readonly contractChanges?: readonly ContractChange[];
  /** Set if the write moves the state to another version of its schema. */
  readonly migration?: Migration | undefined;
  /** Set if the write moves invocations of a workflow record to an archive. */
  readonly archive?: NewArchive | undefined;
  /** True if the document violates its schema in locations that are allowed to stay. */
  readonly lenient?: boolean;
}

/** From one version of a schema to another one. */
export interface Migration {
  readonly fromSchemaId: string;
  readonly toSchemaId: string;
}

/** How a write changes the status of another session's contract. */
export interface ContractChange {
  readonly sessionId: string;
  readonly generation: number;
  /** Empty if the contract holds again. */
  readonly violations: readonly Violation[];
}

/** A write that was refused, or that left a violation as it was. The next prompt of its session reports it. */
export interface FailedWrite {
  readonly sessionId: string;
  readonly runId: string | null;
  readonly violations: readonly Violation[];
}

/** A write that changes nothing, of a session whose contract holds. Its result if the session wrote it before. */
export interface RepeatedWrite {
  readonly sessionId: string;
  readonly runId: string | null;
  readonly generation: number;
  readonly contract: Contract;
  /** Of the value at the contract's location. */
  readonly valueHash: string;
}

/** The result of one write: a version, or what its session gets to know about it. */
export interface WriteStep {
  readonly write?: PreparedWrite | undefined;
  readonly failure?: FailedWrite | undefined;
  readonly repeat?: RepeatedWrite | undefined;
}

export interface Written {
  readonly head: StateHead;
  readonly events: readonly StateEvent[];
}

/**
 * Commits consecutive writes of one state.
 *
 * @param base - What the first write was applied to. If the state is at another version, or another event made that version,
 *   the decision is stale.
 * @returns The head after the last write; or `state_not_found`.
 */
export function commitWrites(
  unit: UnitOfWork,
  stateId: string,
  base: Pick<StateHead, 'version' | 'lastHash'>,
  steps: readonly WriteStep[],
): Result<Written> {
  unit.need({ load: 'state', stateId });
  const loaded = unit.records.states.get(stateId);
  if (loaded === undefined) return noState(stateId);
  if (loaded.version !== base.version || loaded.lastHash !== base.lastHash) unit.stale();
  const head = copyOfHead(loaded);
  head.revision += 1;
  const events: StateEvent[] = [];
  for (const { write } of steps) {
    if (write === undefined) continue;
    const isOfEarlier = isOfEarlierGeneration(unit, write.writer);
    const event = eventOf(unit, head, write, isOfEarlier);
    unit.append('event', event);
    events.push(event);
    if (write.archive !== undefined) {
      const { rootSessionId } = head;
      unit.append('archive', { ...write.archive, stateId, rootSessionId });
    }
    if (extend(head, unit.context.limits.eventsPerSnapshotMax, event, write)) {
      unit.append('snapshot', sealedSnapshot(unit.context.keys, event, write.text));
    }
    notifyWriter(unit, write, event.version, isOfEarlier);
    notifyOthers(unit, write, event.version);
  }
  if (events.length > 0) {
    sealedHead(unit.context.keys, head);
    unit.put('state', head, loaded);
  }
  for (const step of steps) notifyWithoutChange(unit, step);
  return ok({ head: events.length > 0 ? head : loaded, events });
}

function notifyWithoutChange(unit: UnitOfWork, { failure, repeat }: WriteStep): void {
  if (failure !== undefined && !isOfEarlierGeneration(unit, failure)) {
    apply(unit, failure.sessionId, { type: 'write_refused', violations: failure.violations });
  }
  if (repeat === undefined || isOfEarlierGeneration(unit, repeat)) return;
  const { sessionId, generation, contract, valueHash } = repeat;
  const completion = unit.completion(sessionId);
  const isSame =
    completion.generation === generation && isSameContract(completion.settings.contract, contract);
  if (isSame && isOwnResult(completion, valueHash)) apply(unit, sessionId, { type: 'repeated' });
}

function eventOf(unit: UnitOfWork, head: StateHead, write: PreparedWrite, isOfEarlier: boolean): StateEvent {
  return seal(unit.context.keys, {
    eventId: unit.context.newId('evt'),
    stateId: head.stateId,
    rootSessionId: head.rootSessionId,
    version: head.version + 1,
    kind: write.kind,
    patchText: write.patchText,
    sessionId: write.writer.sessionId,
    runId: write.writer.runId,
    tokenName: write.writer.tokenName,
    toolCallId: write.writer.toolCallId ?? null,
    late: isOfEarlier || isLate(unit, write),
    createdAt: unit.now,
    fromSchemaId: write.migration?.fromSchemaId ?? null,
    toSchemaId: write.migration?.toSchemaId ?? null,
    previousHash: head.lastHash,
  });
}

/** True if the writer's completion has failed or was skipped. The write still counts; the history marks it as late. */
function isLate(unit: UnitOfWork, { writer }: PreparedWrite): boolean {
  if (writer.sessionId === null) return false;
  const { status } = unit.completion(writer.sessionId);
  return status === 'failed' || status === 'skipped';
}

/** True for a run that goes on writing after its session has begun other work. Its write is late, and no result. */
function isOfEarlierGeneration(
  unit: UnitOfWork,
  { sessionId, runId }: Pick<Writer, 'sessionId' | 'runId'>,
): boolean {
  if (sessionId === null || runId === null) return false;
  const { session, runs } = unit.aggregate(sessionId);
  const run = runs.find((one) => one.runId === runId) ?? unit.findRun(runId);
  return run?.sessionId === sessionId && run.generation < session.generation;
}

/** A head while events are added to it. */
type Growing = { -readonly [member in keyof StateHead]: StateHead[member] };

/** Copies member by member: a spread of this many members costs ten times as much. */
function copyOfHead(head: StateHead): Growing {
  return {
    stateId: head.stateId,
    schemaId: head.schemaId,
    rootSessionId: head.rootSessionId,
    version: head.version,
    snapshotVersion: head.snapshotVersion,
    patchBytesSinceSnapshot: head.patchBytesSinceSnapshot,
    lastHash: head.lastHash,
    createdAt: head.createdAt,
    updatedAt: head.updatedAt,
    updatedBy: head.updatedBy,
    lenient: head.lenient,
    unsignedThrough: head.unsignedThrough,
    signature: head.signature,
    revision: head.revision,
  };
}

/**
 * Adds an event to the head. A snapshot is stored every `eventsPerSnapshotMax` versions, and as soon as the
 * patches since the last snapshot are larger than the document.
 *
 * @returns True if the event's version gets a snapshot.
 */
function extend(
  head: Growing,
  eventsPerSnapshotMax: number,
  event: StateEvent,
  write: PreparedWrite,
): boolean {
  const patchBytes = head.patchBytesSinceSnapshot + write.patchText.length;
  const snapshot =
    event.version - head.snapshotVersion >= eventsPerSnapshotMax || patchBytes > write.text.length;
  head.version = event.version;
  head.updatedAt = event.createdAt;
  head.updatedBy = event.sessionId;
  head.lastHash = event.hash;
  if (snapshot) head.snapshotVersion = event.version;
  head.patchBytesSinceSnapshot = snapshot ? 0 : patchBytes;
  if (write.migration !== undefined) head.schemaId = write.migration.toSchemaId;
  head.lenient = write.lenient ?? false;
  return snapshot;
}

/** Another session's write never completes a child: `contract_changed` keeps its status. */
function notifyOthers(unit: UnitOfWork, write: PreparedWrite, version: number): void {
  for (const { sessionId, generation, violations } of write.contractChanges ?? []) {
    // The session may have begun a new generation since the write was prepared.
    if (unit.aggregate(sessionId).session.generation !== generation) continue;
    const { sessionId: writer } = write.writer;
    const by = writer === null ? null : unit.aggregate(writer).session.sessionName;
    apply(unit, sessionId, { type: 'contract_changed', by, version, violations });
  }
}

function notifyWriter(unit: UnitOfWork, write: PreparedWrite, version: number, isOfEarlier: boolean): void {
  const { sessionId } = write.writer;
  if (sessionId === null || write.terms === null) return;
  const { generation, settings } = unit.completion(sessionId);
  const same =
    generation === write.terms.generation &&
    isSameContract(settings.contract, write.terms.settings.contract) &&
    jsonEqual(settings.writeScope ?? null, write.terms.settings.writeScope ?? null);
  if (!same) unit.stale();
  if (isOfEarlier) return;
  const { session } = unit.aggregate(sessionId);
  const { patch, changesAt, valueHashAt, contractViolations } = write;
  const written = { version, patch, changesAt, valueHashAt };
  apply(unit, sessionId, { type: 'written', by: session.sessionName, ...written, contractViolations });
  if (isSubAgent(session) && session.parentSessionId !== null)
    apply(unit, session.parentSessionId, { type: 'written_for', ...written });
}

/** The failure for a state that does not exist. */
export function noState(stateId: string) {
  return fail('state_not_found', `There is no workflow state ${stateId}.`, { state_id: stateId });
}

/** The head after this number of commits of the batch. */
export function headAt(commits: number, written: Written, before: StateHead): StateHead {
  const event = commits === 0 ? undefined : written.events[commits - 1];
  if (event === undefined) return before;
  const { head } = written;
  if (event.version === head.version) return head;
  const then = copyOfHead(head);
  then.version = event.version;
  then.updatedAt = event.createdAt;
  then.updatedBy = event.sessionId;
  return then;
}
