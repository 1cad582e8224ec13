// Reads a state's history: the source of a version's document, and events.
import { damaged } from '../../domain/damage/damage.js';
import {
  requireVerified,
  tampered,
  verifiedEvents,
  type ReportedEvidence,
} from '../../domain/evidence/tampered.js';
import type { StateEvent, StateHead, StateSnapshot } from '../../domain/records/records.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';
import type { DocumentSource } from '../../ports/storage/reader.js';
import { fitting } from '../lists/pages.js';
import { allIntact, intact } from '../rows/intact-rows.js';
import { answerOf, type Steps } from '../steps.js';

/** What is read of a history. Its state is named by the number of its row, `key`. */
export interface HistoryStatements {
  head(stateId: string): MaybePromise<(StateHead & { readonly key: number }) | undefined>;
  /** The newest snapshot up to a version. */
  snapshot(key: number, to: number): MaybePromise<StateSnapshot | undefined>;
  /** The sizes of the events after a version. */
  sizes(
    key: number,
    from: number,
    rowsMax: number,
  ): MaybePromise<readonly { readonly version: number; readonly bytes: number }[]>;
  /** The first migration after a version. */
  migration(
    key: number,
    from: number,
  ): MaybePromise<{ readonly version: number; readonly schemaId: string | null } | undefined>;
  /** The events after a version, up to another one. */
  events(key: number, from: number, to: number): MaybePromise<readonly StateEvent[]>;
  /** The oldest version of a compacted history. */
  oldest(key: number): MaybePromise<{ readonly version: number } | undefined>;
}

/** Reads from events and snapshots. */
export class History {
  constructor(
    private readonly statements: HistoryStatements,
    private readonly evidence: ReportedEvidence,
  ) {}

  /**
   * @returns `null` if there is no such state or version.
   * @throws RecordDamagedError - A row is damaged or tampered with, the version has no snapshot at or before it, or an
   *   event between both is missing.
   */
  *document(stateId: string, asked?: number): Steps<DocumentSource | null> {
    const head = yield* this.#head(stateId);
    if (head === null) return null;
    const version = asked ?? head.version;
    if (version > head.version) return null;
    const found = yield* answerOf(this.statements.snapshot(head.key, version));
    if (found === undefined) {
      if (version < (yield* this.#oldest(head.key, stateId))) return null;
      throw damaged('state', stateId, `has no snapshot for its version ${String(version)}`);
    }
    const snapshot = intact('snapshot', found);
    const after = allIntact(
      'event',
      yield* answerOf(this.statements.events(head.key, snapshot.version, version)),
    );
    if (after.length !== version - snapshot.version) {
      const what = `has a gap in its history before version ${String(version)}`;
      throw tampered(this.evidence, head, version, what);
    }
    requireVerified(this.evidence, head, snapshot, after);
    const patchTexts = after.map((event) => event.patchText);
    return { snapshot, patchTexts, version };
  }

  /** The schema version before the first migration after `version`; `null` if there is no such migration. */
  *schemaIdAt(stateId: string, version: number): Steps<string | null> {
    const head = yield* this.#head(stateId);
    if (head === null) return null;
    const migration = yield* answerOf(this.statements.migration(head.key, version));
    return migration === undefined ? null : intact('event', { ...migration, stateId }).schemaId;
  }

  /** See `Reader.events`. Reads the sizes first, so that no more text is read than is returned. */
  *events(
    stateId: string,
    since: number,
    limit: number,
    bytesMax: number,
  ): Steps<{ events: readonly StateEvent[]; hasMore: boolean }> {
    const head = yield* this.#head(stateId);
    if (head === null) return { events: [], hasMore: false };
    const sizes = yield* answerOf(this.statements.sizes(head.key, since, limit + 1));
    const count = fitting(sizes, limit, bytesMax);
    const last = sizes[count - 1];
    if (last === undefined) return { events: [], hasMore: false };
    intact('event', { ...last, stateId });
    const events = allIntact('event', yield* answerOf(this.statements.events(head.key, since, last.version)));
    verifiedEvents(this.evidence, events, head.unsignedThrough);
    const version = events[0]?.version ?? since + 1;
    if (version !== since + 1 && version !== (yield* this.#oldest(head.key, stateId)))
      throw tampered(this.evidence, head, since + 1, `has no event of version ${String(since + 1)}`);
    return { events, hasMore: count < sizes.length };
  }

  /** The oldest version of a compacted history; 1 if it is not compacted. */
  *#oldest(key: number, stateId: string): Steps<number> {
    const oldest = yield* answerOf(this.statements.oldest(key));
    return oldest === undefined ? 1 : intact('state', { ...oldest, stateId }).version;
  }

  /** The head of a state, with its key. @throws RecordDamagedError */
  *#head(stateId: string) {
    const head = yield* answerOf(this.statements.head(stateId));
    return head === undefined ? null : intact('state', { ...head, stateId });
  }
}
