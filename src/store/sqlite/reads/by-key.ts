// The statements that both the reader and the loader of decisions use, each made by a function: records by their key.
import { and, asc, desc, eq, gte, isNull, lt, or, sql } from 'drizzle-orm';
import type { Db } from '../db.js';
import * as rows from '../tables/rows.js';
import { callbacks, receipts, runners, runs, schemas, stateHeads, tokens, trees } from '../tables/tables.js';

const id = sql.placeholder('id');

/** A receipt of a tree. Earlier versions did not write its root. */
const ofRoot = or(eq(receipts.rootSessionId, sql.placeholder('root')), isNull(receipts.rootSessionId));

export function statementsByKey(db: Db) {
  const selectSchemas = () => db.select(rows.schemaColumns).from(schemas);
  return {
    tree: () => db.select(rows.treeColumns).from(trees).where(eq(trees.rootSessionId, id)).prepare(),
    state: () => db.select(rows.stateColumns).from(stateHeads).where(eq(stateHeads.stateId, id)).prepare(),
    run: () => db.select(rows.runColumns).from(runs).where(eq(runs.runId, id)).prepare(),
    runner: () => db.select(rows.runnerColumns).from(runners).where(eq(runners.runnerId, id)).prepare(),
    callback: () =>
      db.select(rows.callbackColumns).from(callbacks).where(eq(callbacks.callbackId, id)).prepare(),
    receipt: () =>
      db
        .select(rows.receiptColumns)
        .from(receipts)
        .where(and(eq(receipts.receiptId, id), ofRoot))
        .prepare(),
    receiptsOf: () =>
      db
        .select(rows.receiptColumns)
        .from(receipts)
        .where(and(gte(receipts.receiptId, id), lt(receipts.receiptId, sql`${id} || '$'`), ofRoot))
        .orderBy(asc(receipts.receiptId))
        .prepare(),
    newestSchema: () =>
      selectSchemas().where(eq(schemas.name, id)).orderBy(desc(schemas.version)).limit(1).prepare(),
    schemaVersion: () =>
      selectSchemas()
        .where(and(eq(schemas.name, id), eq(schemas.version, sql.placeholder('version'))))
        .prepare(),
    tokens: () => db.select(rows.tokenColumns).from(tokens).orderBy(asc(tokens.seq)).prepare(),
  };
}
