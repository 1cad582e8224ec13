// Reads a state's history: the source of a version's document, and events.
import { and, asc, desc, eq, gt, lte, sql } from 'drizzle-orm';
import { damaged } from '../../../domain/damage/damage.js';
import {
  verifiedEvents,
  requireVerified,
  tampered,
  type ReportedEvidence,
} from '../../../domain/evidence/tampered.js';
import type { StateEvent } from '../../../domain/records/records.js';
import type { DocumentSource } from '../../../ports/storage/reader.js';
import type { Db } from '../db.js';
import * as rows from '../tables/rows.js';
import { fitting } from '../../lists/pages.js';
import { allIntact, intact } from '../../rows/intact-rows.js';
import { cuts, events, snapshots, stateHeads as heads, states } from '../tables/tables.js';
import { whenUsed } from '../when-used.js';

const state = sql.placeholder('state');
const from = sql.placeholder('from');
const to = sql.placeholder('to');

function prepareHistory(db: Db) {
  return whenUsed({
    head: () =>
      db
        .select({ ...rows.stateColumns, key: heads.seq })
        .from(heads)
        .where(eq(heads.stateId, state))
        .prepare(),
    snapshot: () =>
      db
        .select(rows.snapshotColumns)
        .from(snapshots)
        .innerJoin(states, eq(states.seq, snapshots.stateKey))
        .where(and(eq(snapshots.stateKey, state), lte(snapshots.version, to)))
        .orderBy(desc(snapshots.version))
        .limit(1)
        .prepare(),
    sizes: () =>
      db
        .select({ version: events.version, bytes: sql<number>`octet_length(${events.patchText})` })
        .from(events)
        .where(and(eq(events.stateKey, state), gt(events.version, from)))
        .orderBy(asc(events.version))
        .limit(sql.placeholder('rowsMax'))
        .prepare(),
    migration: () =>
      db
        .select({ schemaId: events.fromSchemaId, version: events.version })
        .from(events)
        .where(
          and(eq(events.stateKey, state), gt(events.version, from), sql`${events.fromSchemaId} is not null`),
        )
        .orderBy(asc(events.version))
        .limit(1)
        .prepare(),
    events: () =>
      db
        .select(rows.eventColumns)
        .from(events)
        .innerJoin(states, eq(states.seq, events.stateKey))
        .where(and(eq(events.stateKey, state), gt(events.version, from), lte(events.version, to)))
        .orderBy(asc(events.version))
        .prepare(),
    oldest: () =>
      db.select({ version: cuts.oldestVersion }).from(cuts).where(eq(cuts.stateKey, state)).prepare(),
  });
}

/** Reads from events and snapshots. */
export class History {
  readonly #prepared: ReturnType<typeof prepareHistory>;

  constructor(
    db: Db,
    private readonly evidence: ReportedEvidence,
  ) {
    this.#prepared = prepareHistory(db);
  }

  /**
   * @returns `null` if there is no such state or version.
   * @throws RecordDamagedError - A row is damaged or tampered with, the version has no snapshot at or before it, or an
   *   event between both is missing.
   */
  document(stateId: string, asked?: number): DocumentSource | null {
    const head = this.#head(stateId);
    if (head === null) return null;
    const version = asked ?? head.version;
    if (version > head.version) return null;
    const found = this.#prepared.snapshot.get({ state: head.key, to: version });
    if (found === undefined) {
      if (version < this.#oldest(head.key, stateId)) return null;
      throw damaged('state', stateId, `has no snapshot for its version ${String(version)}`);
    }
    const snapshot = intact('snapshot', found);
    const after = allIntact(
      'event',
      this.#prepared.events.all({ state: head.key, from: snapshot.version, to: version }),
    );
    if (after.length !== version - snapshot.version) {
      throw tampered(
        this.evidence,
        head,
        version,
        `has a gap in its history before version ${String(version)}`,
      );
    }
    requireVerified(this.evidence, head, snapshot, after);
    const patchTexts = after.map((event) => event.patchText);
    return { snapshot, patchTexts, version };
  }

  /** The schema version before the first migration after `version`; `null` if there is no such migration. */
  schemaIdAt(stateId: string, version: number): string | null {
    const head = this.#head(stateId);
    if (head === null) return null;
    const migration = this.#prepared.migration.get({ state: head.key, from: version });
    return migration === undefined ? null : intact('event', { ...migration, stateId }).schemaId;
  }

  /** See `Reader.events`. Reads the sizes first, so that no more text is read than is returned. */
  events(stateId: string, since: number, limit: number, bytesMax: number) {
    const none: { events: readonly StateEvent[]; hasMore: boolean } = { events: [], hasMore: false };
    const head = this.#head(stateId);
    if (head === null) return none;
    const found = this.#prepared.sizes.all({ state: head.key, from: since, rowsMax: limit + 1 });
    const count = fitting(found, limit, bytesMax);
    const last = found[count - 1];
    if (last === undefined) return none;
    intact('event', { ...last, stateId });
    const events = allIntact(
      'event',
      this.#prepared.events.all({ state: head.key, from: since, to: last.version }),
    );
    verifiedEvents(this.evidence, events, head.unsignedThrough);
    const [first] = events;
    if (
      first !== undefined &&
      first.version !== since + 1 &&
      first.version !== this.#oldest(head.key, stateId)
    ) {
      throw tampered(this.evidence, head, since + 1, `has no event of version ${String(since + 1)}`);
    }
    return { events, hasMore: count < found.length };
  }

  /** The oldest version of a compacted history; 1 if it is not compacted. */
  #oldest(key: number, stateId: string): number {
    const oldest = this.#prepared.oldest.get({ state: key });
    return oldest === undefined ? 1 : intact('state', { ...oldest, stateId }).version;
  }

  /** The head of a state, with its key. @throws RecordDamagedError */
  #head(stateId: string) {
    const head = this.#prepared.head.get({ state: stateId });
    return head === undefined ? null : intact('state', { ...head, stateId });
  }
}
