// Checks the history of one state in a database, in slices, so that nobody waits for it. Damage of one record is a fault
// of its state, and never ends the check of others.
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Damage } from '../../domain/damage/damage.js';
import { checkArchive, type Evidence } from '../../domain/evidence/check.js';
import { HistoryCheck, type Fault, type Replay } from '../../domain/evidence/history-check.js';
import type { StateHead, WorkflowArchive } from '../../domain/records/state-records.js';
import type { ArchivedByWrite } from '../../domain/workflow/archive.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';
import { allDamageOf } from '../rows/intact-rows.js';
import type { HistoryRow, HistoryStart, StraySnapshot, UnreadableStart } from './history-rows.js';

/** Reads of a history. */
export interface HistorySource {
  readonly evidence: Evidence;
  /** The head of a state and where its history begins, by its number; `undefined` if there is no such state. */
  historyOf(stateSeq: number): MaybePromise<HistoryStart | UnreadableStart | undefined>;
  /** Events of a state above a version, oldest first. */
  events(stateSeq: number, version: number, rowsMax: number): MaybePromise<readonly HistoryRow[]>;
  /** Snapshots of a state that belong to no event, lowest version first. */
  straySnapshots(stateSeq: number, rowsMax: number): MaybePromise<readonly StraySnapshot[]>;
  /** An archive, perhaps with damaged values; `undefined` if it is not there. */
  archive(archiveId: string): MaybePromise<WorkflowArchive | undefined>;
  /** The ids of all archives of a state. */
  archiveIds(stateSeq: number): MaybePromise<readonly string[]>;
}

/** A fault in a history, or a record of it that cannot be read. */
export interface HistoryFault extends Fault {
  readonly damage?: Damage;
}

/** The result of the verification of a history. */
interface CheckedHistory {
  readonly faults: readonly HistoryFault[];
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

/** Most snapshots without an event that are named for one state. */
const STRAYS_MAX = 10;

/** Most times that the check of one state begins again, because its history was compacted meanwhile. */
const RESTARTS_MAX = 10;

/** @returns `undefined` if the state does not exist, or was deleted meanwhile. */
export async function checkHistory(
  source: HistorySource,
  stateSeq: number,
  work: HistoryWork,
): Promise<CheckedHistory | undefined> {
  for (let restarts = 0; ; restarts += 1) {
    // Before the head, so that the history up to it has every compaction that made one of them.
    const archiveIds = await source.archiveIds(stateSeq);
    const start = await source.historyOf(stateSeq);
    if (start === undefined) return undefined;
    if ('damage' in start) {
      return {
        faults: start.damage.map((one) => unreadable(null, one)),
        events: 0,
        unsigned: 0,
        isExpected: false,
      };
    }
    const checked = await checkOnce(source, stateSeq, { ...start, archiveIds }, work);
    if (checked.faults.length === 0) return checked;
    // A compaction or deletion between two slices looks like missing events.
    const now = await source.historyOf(stateSeq);
    const isChanged = now === undefined || ('head' in now && oldestOf(now) !== oldestOf(start));
    if (!isChanged || restarts === RESTARTS_MAX) return now === undefined ? undefined : checked;
  }
}

function oldestOf({ compaction }: HistoryStart): number {
  return compaction?.oldestVersion ?? 1;
}

async function checkOnce(
  source: HistorySource,
  stateSeq: number,
  { head, compaction, archiveIds }: HistoryStart & { readonly archiveIds: readonly string[] },
  { apply, expectedHash }: HistoryWork,
): Promise<CheckedHistory> {
  const check = new HistoryCheck(source.evidence, apply, head, compaction);
  const faults: HistoryFault[] = [];
  const forged = new Set(archiveIds);
  let isExpected = false;
  for (let version = 0; version < head.version;) {
    const page = await source.events(stateSeq, version, SLICE_EVENTS);
    for (const row of page) {
      // Written after the head was read.
      if (row.version !== null && row.version > head.version) break;
      faults.push(...checkRow(check, row));
      if (check.archived !== null) {
        forged.delete(check.archived.archiveId);
        faults.push(...(await archiveFaults(source, head, check.archived, row.version)));
      }
      isExpected ||= row.event !== null && row.event.hash === expectedHash;
    }
    const last = page.map((row) => row.version).findLast((one) => one !== null);
    if (last == null || page.length < SLICE_EVENTS) break;
    version = last;
    await nextIteration();
  }
  faults.push(...check.end(), ...(await strays(source, stateSeq)));
  for (const archiveId of forged) {
    const damage = allDamageOf('archive', (await source.archive(archiveId)) ?? {});
    faults.push(...damage.map((one) => unreadable(null, one)));
  }
  // A history that was cut, or cannot be read, may lack the write that made one of them.
  if (compaction === null && faults.length === 0) faults.push(...[...forged].map(unmade));
  return { faults, events: check.events, unsigned: check.unsigned, isExpected };
}

function checkRow(
  check: HistoryCheck,
  { version, event, snapshot, damage, outOfReach }: HistoryRow,
): readonly HistoryFault[] {
  const faults = [
    ...damage.map((one) => unreadable(version, one)),
    ...outOfReach.map((kind) => numberless(kind, version)),
  ];
  if (event !== null) return [...faults, ...check.add(event, snapshot)];
  check.skip(version);
  return faults;
}

/** An archive that is no longer kept is not compared. */
async function archiveFaults(
  source: HistorySource,
  head: StateHead,
  archived: ArchivedByWrite,
  version: number | null,
): Promise<readonly HistoryFault[]> {
  const { archiveId } = archived;
  const archive = await source.archive(archiveId);
  if (archive === undefined) return [];
  const damage = allDamageOf('archive', archive);
  if (damage.length > 0) return damage.map((one) => unreadable(version, one));
  const wrong = checkArchive(head, archive, archived);
  return wrong === null
    ? []
    : [{ check: 'archive_matches_history', version, what: `the archive ${archiveId} ${wrong}` }];
}

function unmade(archiveId: string): HistoryFault {
  const what = `the archive ${archiveId} was made by no write of the history`;
  return { check: 'archive_matches_history', version: null, what };
}

function numberless(kind: 'event' | 'snapshot', version: number | null): HistoryFault {
  const what = `the row of the ${kind} has a number that the service never gives`;
  return { check: 'number_usable', version, what };
}

/** A snapshot without an event would be taken for the document of a version that is yet to be written. */
async function strays(source: HistorySource, stateSeq: number): Promise<readonly HistoryFault[]> {
  const found = await source.straySnapshots(stateSeq, STRAYS_MAX);
  const what = 'the snapshot belongs to no event';
  return found.map(({ version }) => ({ check: 'snapshot_matches_history', version, what }));
}

function unreadable(version: number | null, damage: Damage): HistoryFault {
  const { kind, column, what } = damage;
  return {
    check: 'value_readable',
    version,
    what: `the ${kind} is damaged: its ${column ?? 'record'} ${what}`,
    damage,
  };
}
