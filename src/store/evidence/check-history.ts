// Checks the history of one state in a database, in slices, so that nobody waits for it.
import { setImmediate as turn } from 'node:timers/promises';
import type { Evidence } from '../../domain/evidence/check.js';
import { HistoryCheck, type Fault, type Replay } from '../../domain/evidence/history-check.js';
import type {
  CompactionPoint,
  StateEvent,
  StateHead,
  StateSnapshot,
} from '../../domain/records/state-records.js';
import type { MaybePromise } from '../../ports/maybe-promise.js';

/** An event, with the snapshot of its version if there is one. */
export interface HistoryRow {
  readonly event: StateEvent;
  readonly snapshot: StateSnapshot | null;
}

/** A row of the join of events with snapshots: of an event without one, no column of a snapshot has a value. */
interface JoinedRow {
  readonly event: StateEvent;
  readonly snapshot: Omit<StateSnapshot, 'version' | 'rootSessionId' | 'text'> & {
    readonly version: number | null;
    readonly rootSessionId: string | null;
    readonly text: string | null;
  };
}

export function historyRow({ event, snapshot }: JoinedRow): HistoryRow {
  const { version, rootSessionId, text } = snapshot;
  const isThere = version !== null && rootSessionId !== null && text !== null;
  return { event, snapshot: isThere ? { ...snapshot, version, rootSessionId, text } : null };
}

/** Reads of a history. */
export interface HistorySource {
  readonly evidence: Evidence;
  /** The head of a state and where its history begins, by its number; `undefined` if there is no such state. */
  historyOf(stateSeq: number): MaybePromise<HistoryStart | undefined>;
  /** Events of a state above a version, oldest first. */
  events(stateSeq: number, version: number, rowsMax: number): MaybePromise<readonly HistoryRow[]>;
}

export interface HistoryStart {
  readonly head: StateHead;
  readonly compaction: CompactionPoint | null;
}

/** The result of the verification of a history. */
interface CheckedHistory {
  readonly head: StateHead;
  readonly faults: readonly Fault[];
  readonly events: number;
  readonly unsigned: number;
  /** True if the event whose hash was asked for is among them. */
  readonly isExpected: boolean;
}

export interface HistoryWork {
  readonly apply: Replay;
  /** The hash of an event that has to be in the history. */
  readonly expectedHash?: string | undefined;
}

/** Events per slice: a few milliseconds of work. */
const SLICE_EVENTS = 50;

/** @returns `undefined` if the state does not exist, or was deleted meanwhile. */
export async function checkHistory(
  source: HistorySource,
  stateSeq: number,
  work: HistoryWork,
): Promise<CheckedHistory | undefined> {
  for (;;) {
    const start = await source.historyOf(stateSeq);
    if (start === undefined) return undefined;
    const checked = await checkOnce(source, stateSeq, start, work);
    if (checked.faults.length === 0) return checked;
    // A compaction or deletion between two slices looks like missing events.
    const now = await source.historyOf(stateSeq);
    if (now?.compaction?.oldestVersion === start.compaction?.oldestVersion) return checked;
  }
}

async function checkOnce(
  source: HistorySource,
  stateSeq: number,
  { head, compaction }: HistoryStart,
  { apply, expectedHash }: HistoryWork,
): Promise<CheckedHistory> {
  const check = new HistoryCheck(source.evidence, apply, head, compaction);
  const faults: Fault[] = [];
  let isExpected = false;
  for (let version = 0; version < head.version;) {
    const page = await source.events(stateSeq, version, SLICE_EVENTS);
    for (const { event, snapshot } of page) {
      // Written after the head was read.
      if (event.version > head.version) break;
      faults.push(...check.add(event, snapshot));
      isExpected ||= event.hash === expectedHash;
    }
    const last = page.at(-1)?.event.version;
    if (last === undefined || page.length < SLICE_EVENTS) break;
    version = last;
    await turn();
  }
  faults.push(...check.end());
  return { head, faults, events: check.events, unsigned: check.unsigned, isExpected };
}
