// Checks the whole history of one state, event by event: hashes, links, signatures, replay, snapshots and the head.
// Knows no database and no export.
import { isJsonObject, jsonEqual, type JsonObject, parsedJson } from '../json/json.js';
import type { CompactionPoint, StateEvent, StateHead, StateSnapshot } from '../records/state-records.js';
import { archivedBy, type ArchivedByWrite } from '../workflow/archive.js';
import { checkCompaction, checkEvent, checkHead, checkLinks, checkSnapshot, type Evidence } from './check.js';

/** A fault in a history. */
export interface Fault {
  /** The name of the check, as `doctor` reports it. */
  readonly check: HistoryCheckName;
  /** `null` for the head. */
  readonly version: number | null;
  /** A clause without its full stop. */
  readonly what: string;
}

export type HistoryCheckName =
  | 'event_unaltered'
  | 'history_complete'
  | 'history_chained'
  | 'history_replays'
  | 'compaction_holds'
  | 'snapshot_readable'
  | 'snapshot_unaltered'
  | 'snapshot_matches_history'
  | 'archive_matches_history'
  | 'head_matches_history'
  | 'head_holds'
  | 'snapshot_kept'
  | 'number_usable'
  | 'value_readable';

/** Applies a patch (JSON text) to a document; to `null` for the first version. Throws if it cannot be applied. */
export type Replay = (document: JsonObject | null, patchText: string) => JsonObject;

export class HistoryCheck {
  /** How many events were checked, and how many of them have no signature. */
  events = 0;
  unsigned = 0;
  /** What the last event has moved from a workflow record to an archive; `null` if nothing, or it is not known. */
  archived: ArchivedByWrite | null = null;
  #last: StateEvent | null = null;
  #document: JsonObject | null = null;
  /** The oldest and the newest version that were given, also of events that cannot be read. */
  #oldest: number | null = null;
  #newest = 0;
  #isOldestWhole = false;
  #isNewestWhole = false;

  constructor(
    private readonly evidence: Evidence,
    private readonly replay: Replay,
    private readonly head: StateHead,
    private readonly compaction: CompactionPoint | null,
  ) {}

  /** The document after the last event; `null` if it is not known. */
  get document(): JsonObject | null {
    return this.#document;
  }

  /** Checks the next event, with the snapshot of its version if there is one. */
  add(event: StateEvent, snapshot: StateSnapshot | null): readonly Fault[] {
    const faults = [
      ...this.#place(event),
      ...this.#content(event),
      ...this.#replayed(event),
      ...(snapshot === null ? [] : this.#snapshot(event, snapshot)),
    ];
    this.events += 1;
    if (event.signature === null) this.unsigned += 1;
    this.#last = event;
    this.#passed(event.version, snapshot !== null);
    return faults;
  }

  /** Call in place of `add` for an event that cannot be read. What follows is not checked against it. */
  skip(version: number | null): void {
    this.events += 1;
    this.archived = null;
    this.#last = null;
    this.#document = null;
    this.#passed(version ?? this.#newest, true);
  }

  #passed(version: number, isWhole: boolean): void {
    if (this.#oldest === null) {
      this.#oldest = version;
      this.#isOldestWhole = isWhole;
    }
    this.#newest = version;
    if (version === this.head.snapshotVersion) this.#isNewestWhole = isWhole;
  }

  /** Call after the last event of a history that has its snapshots. */
  end(): readonly Fault[] {
    const { version, lastHash } = this.head;
    const last = this.#last;
    const faults: Fault[] = [];
    if (this.#newest < version) {
      faults.push({ check: 'history_complete', version: this.#newest + 1, what: 'the event is missing' });
    } else if (last !== null && last.hash !== lastHash) {
      faults.push({ check: 'head_matches_history', version, what: 'the head is not the newest event' });
    }
    faults.push(...this.#kept());
    const wrong = checkHead(this.evidence, this.head);
    if (wrong !== null) faults.push({ check: 'head_holds', version: null, what: `the state ${wrong}` });
    return faults;
  }

  /** Reads need two snapshots: that of the oldest version, and the newest one. */
  #kept(): readonly Fault[] {
    const { snapshotVersion } = this.head;
    const lost = [
      ...(this.#isOldestWhole || this.#oldest === null ? [] : [this.#oldest]),
      ...(this.#isNewestWhole || snapshotVersion === this.#oldest ? [] : [snapshotVersion]),
    ];
    const what = 'the snapshot is missing';
    return lost.map((version) => ({ check: 'snapshot_kept', version, what }));
  }

  #content(event: StateEvent): readonly Fault[] {
    const { version } = event;
    const wrong = checkEvent(this.evidence, event, this.head.unsignedThrough);
    const faults: Fault[] = [];
    if (wrong !== null) faults.push({ check: 'event_unaltered', version, what: `the event ${wrong}` });
    if (event.rootSessionId !== this.head.rootSessionId)
      faults.push({ check: 'event_unaltered', version, what: 'the event names another tree' });
    return faults;
  }

  #place(event: StateEvent): readonly Fault[] {
    const { version } = event;
    if (this.#last !== null) {
      const gap = checkLinks([this.#last, event]);
      if (gap === null) return [];
      const check = gap.version === version ? 'history_chained' : 'history_complete';
      return [{ check, version: gap.version, what: `the event ${gap.wrong}` }];
    }
    if (this.#oldest !== null) return this.#afterUnreadable(event);
    if (this.compaction !== null) {
      const wrong = checkCompaction(this.evidence, this.compaction, event, this.head.unsignedThrough);
      if (wrong === null) return [];
      return [{ check: 'compaction_holds', version, what: `the start of the compacted history ${wrong}` }];
    }
    if (version !== 1) return [{ check: 'history_complete', version: 1, what: 'the event is missing' }];
    return event.previousHash === ''
      ? []
      : [{ check: 'history_chained', version, what: 'the event names one before it' }];
  }

  #afterUnreadable({ version }: StateEvent): readonly Fault[] {
    const expected = this.#newest + 1;
    if (version === expected) return [];
    return [{ check: 'history_complete', version: expected, what: 'the event is missing' }];
  }

  #replayed(event: StateEvent): readonly Fault[] {
    const { version, kind } = event;
    this.archived = null;
    const follows = this.#last === null ? version === 1 : version === this.#last.version + 1;
    const before = this.#document;
    this.#document = null;
    if (!follows || (version > 1 && before === null)) return [];
    try {
      this.#document = this.replay(before, event.patchText);
      if (kind === 'workflow' && before !== null) this.archived = archivedBy(before, this.#document);
      return [];
    } catch {
      const what = 'the patch cannot be applied to the version before it';
      return [{ check: 'history_replays', version, what }];
    }
  }

  #snapshot(event: StateEvent, snapshot: StateSnapshot): readonly Fault[] {
    const { version } = event;
    const faults: Fault[] = [];
    const wrong = checkSnapshot(this.evidence, snapshot, this.head.unsignedThrough);
    if (wrong !== null) faults.push({ check: 'snapshot_unaltered', version, what: `the snapshot ${wrong}` });
    else if (snapshot.eventHash !== null && snapshot.eventHash !== event.hash)
      faults.push({ check: 'snapshot_unaltered', version, what: 'the snapshot is of another event' });
    const document = parsedJson(snapshot.text);
    if (!isJsonObject(document)) {
      const what = 'the document that is kept whole is no JSON object';
      return [...faults, { check: 'snapshot_readable', version, what }];
    }
    if (this.#document !== null && !jsonEqual(this.#document, document)) {
      const what = 'the document that is kept whole is not what the history comes to';
      faults.push({ check: 'snapshot_matches_history', version, what });
    }
    this.#document = document;
    return faults;
  }
}
