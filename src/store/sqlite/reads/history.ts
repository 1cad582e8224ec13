// Reads a state's history: the source of a version's document, and events.
import { and, asc, desc, eq, gt, lte, sql } from 'drizzle-orm';
import { RecordDamagedError } from '../../../domain/damage/damage.js';
import type { StateEvent } from '../../../domain/records/records.js';
import type { DocumentSource } from '../../../ports/store.js';
import type { Db } from '../db.js';
import * as rows from '../tables/rows.js';
import { allSound } from './sound.js';
import { events, snapshots, stateHeads as heads, states } from '../tables/tables.js';

const state = sql.placeholder('state');
const from = sql.placeholder('from');
const to = sql.placeholder('to');

function prepareHistory(db: Db) {
  return {
    head: db
      .select({ key: heads.seq, version: heads.version })
      .from(heads)
      .where(eq(heads.stateId, state))
      .prepare(),
    snapshot: db
      .select(rows.snapshotColumns)
      .from(snapshots)
      .innerJoin(states, eq(states.seq, snapshots.stateKey))
      .where(and(eq(snapshots.stateKey, state), lte(snapshots.version, to)))
      .orderBy(desc(snapshots.version))
      .limit(1)
      .prepare(),
    patches: db
      .select({ text: events.patchText })
      .from(events)
      .where(and(eq(events.stateKey, state), gt(events.version, from), lte(events.version, to)))
      .orderBy(asc(events.version))
      .prepare(),
    sizes: db
      .select({ version: events.version, bytes: sql<number>`octet_length(${events.patchText})` })
      .from(events)
      .where(and(eq(events.stateKey, state), gt(events.version, from)))
      .orderBy(asc(events.version))
      .limit(sql.placeholder('rowsMax'))
      .prepare(),
    migration: db
      .select({ schemaId: events.fromSchemaId })
      .from(events)
      .where(
        and(eq(events.stateKey, state), gt(events.version, from), sql`${events.fromSchemaId} is not null`),
      )
      .orderBy(asc(events.version))
      .limit(1)
      .prepare(),
    events: db
      .select(rows.eventColumns)
      .from(events)
      .innerJoin(states, eq(states.seq, events.stateKey))
      .where(and(eq(events.stateKey, state), gt(events.version, from), lte(events.version, to)))
      .orderBy(asc(events.version))
      .prepare(),
  };
}

/** Reads from events and snapshots. */
export class History {
  readonly #prepared: ReturnType<typeof prepareHistory>;

  constructor(db: Db) {
    this.#prepared = prepareHistory(db);
  }

  /**
   * @returns `null` if there is no such state or version.
   * @throws RecordDamagedError - The newest version has no snapshot, or a patch between both is missing.
   */
  document(stateId: string, asked?: number): DocumentSource | null {
    const head = this.#prepared.head.get({ state: stateId });
    if (head === undefined) return null;
    const version = asked ?? head.version;
    if (version > head.version) return null;
    const snapshot = this.#prepared.snapshot.get({ state: head.key, to: version });
    if (snapshot === undefined) {
      // Compaction removes snapshots of older versions only.
      if (version < head.version) return null;
      throw damagedState(stateId, `has no snapshot for its version ${String(version)}`);
    }
    const patchTexts = this.#prepared.patches
      .all({ state: head.key, from: snapshot.version, to: version })
      .map((row) => row.text);
    if (patchTexts.length !== version - snapshot.version) {
      throw damagedState(stateId, `has a gap in its history before version ${String(version)}`);
    }
    return { snapshot, patchTexts, version };
  }

  /** The schema version before the first migration after `version`; `null` if there is no such migration. */
  schemaIdAt(stateId: string, version: number): string | null {
    const head = this.#prepared.head.get({ state: stateId });
    if (head === undefined) return null;
    return this.#prepared.migration.get({ state: head.key, from: version })?.schemaId ?? null;
  }

  /** See `Reader.events`. Reads the sizes first, so that no more text is read than is returned. */
  events(stateId: string, since: number, limit: number, bytesMax: number) {
    const none: { events: readonly StateEvent[]; hasMore: boolean } = { events: [], hasMore: false };
    const head = this.#prepared.head.get({ state: stateId });
    if (head === undefined) return none;
    const found = this.#prepared.sizes.all({ state: head.key, from: since, rowsMax: limit + 1 });
    let bytes = 0;
    const fits = found.findIndex((row, i) => i >= limit || ((bytes += row.bytes) > bytesMax && i > 0));
    const given = fits === -1 ? found : found.slice(0, fits);
    const last = given.at(-1);
    if (last === undefined) return none;
    const events = allSound(
      'event',
      this.#prepared.events.all({ state: head.key, from: since, to: last.version }),
    );
    return { events, hasMore: given.length < found.length };
  }
}

function damagedState(id: string, what: string): RecordDamagedError {
  return new RecordDamagedError({ kind: 'state', id, column: null, what });
}
