// The rows of a history as the checks take them: what cannot be read is named, and becomes no record. Knows no database.
import type { Damage } from '../../domain/damage/damage.js';
import type {
  CompactionPoint,
  StateEvent,
  StateHead,
  StateSnapshot,
} from '../../domain/records/state-records.js';
import { allDamageOf } from '../rows/intact-rows.js';
import { isCount } from '../../domain/json/json.js';
import { isRowNumber } from '../row-numbers.js';
import { DamagedValue, NO_FLAG } from '../rows/values.js';

/** Where a history begins and ends. */
export interface HistoryStart {
  readonly head: StateHead;
  readonly compaction: CompactionPoint | null;
}

/** The head or the compaction point of a state cannot be read, so its history cannot be checked. */
export interface UnreadableStart {
  readonly damage: readonly Damage[];
}

/** An event, with the snapshot of its version. Both are `null` if they cannot be read; so is a snapshot that is not there. */
export interface HistoryRow {
  /** `null` if it cannot be read. */
  readonly version: number | null;
  readonly event: StateEvent | null;
  readonly snapshot: StateSnapshot | null;
  readonly damage: readonly Damage[];
  /** Which of them has a row number that the service never gives. */
  readonly outOfReach: readonly ('event' | 'snapshot')[];
}

/** A snapshot without an event of its version. */
export interface StraySnapshot {
  /** `null` if it cannot be read. */
  readonly version: number | null;
}

/** A row of the join of heads with compaction points: without a point, its columns have no value. */
interface JoinedHead {
  readonly head: StateHead;
  /** The column of a flag of the head that is neither 0 nor 1; `null` or left out if there is none. */
  readonly mistyped?: string | null;
  /** The row of the head, for a database that computes some of its values from later events. */
  readonly row?: object;
  readonly oldestVersion: number | null;
  readonly throughEvent: number | null;
  readonly signature: string | null;
}

export function historyStart({
  head,
  mistyped,
  row = {},
  oldestVersion,
  throughEvent,
  signature,
}: JoinedHead): HistoryStart | UnreadableStart {
  const { stateId, rootSessionId } = head;
  const damage = [
    ...allDamageOf('state', { ...withFlag(head, mistyped), ...damagedOf(row) }),
    ...allDamageOf('state', { oldestVersion, throughEvent, signature }).map((one) => ({
      ...one,
      id: stateId,
      rootSessionId,
    })),
  ];
  if (damage.length > 0) return { damage };
  return { head, compaction: oldestVersion === null ? null : { oldestVersion, signature } };
}

/** A row of the join of events with snapshots: of an event without one, no column of a snapshot has a value. */
interface JoinedRow {
  readonly event: StateEvent;
  readonly eventNumber: number;
  /** As of a head. */
  readonly mistyped?: string | null;
  /** `null` if there is no snapshot. */
  readonly snapshotNumber: number | null;
  readonly snapshot: Omit<StateSnapshot, 'version' | 'rootSessionId' | 'text'> & {
    readonly version: number | null;
    readonly rootSessionId: string | null;
    readonly text: string | null;
  };
}

export function historyRow({
  event,
  eventNumber,
  mistyped,
  snapshot,
  snapshotNumber,
}: JoinedRow): HistoryRow {
  const { version, rootSessionId, text } = snapshot;
  const isThere = version !== null && rootSessionId !== null && text !== null;
  const ofEvent = allDamageOf('event', withFlag(event, mistyped));
  const ofSnapshot = isThere ? allDamageOf('snapshot', snapshot) : [];
  return {
    version: readableVersion(event),
    event: ofEvent.length > 0 ? null : event,
    snapshot: isThere && ofSnapshot.length === 0 ? { ...snapshot, version, rootSessionId, text } : null,
    damage: [...ofEvent, ...ofSnapshot],
    outOfReach: [
      ...(isRowNumber(eventNumber) ? [] : (['event'] as const)),
      ...(snapshotNumber === null || isRowNumber(snapshotNumber) ? [] : (['snapshot'] as const)),
    ],
  };
}

function damagedOf(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value instanceof DamagedValue));
}

function withFlag(row: object, mistyped: string | null | undefined): object {
  return mistyped == null ? row : { ...row, mistyped: new DamagedValue(mistyped, NO_FLAG, null) };
}

export function straySnapshot(row: { readonly version: number }): StraySnapshot {
  return { version: readableVersion(row) };
}

function readableVersion({ version }: { readonly version: unknown }): number | null {
  return isCount(version) ? version : null;
}
