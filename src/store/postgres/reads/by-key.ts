// The prepared statements that both the reader and the loader of decisions use: records by their key. Those of a tree also by
// its root, which is looked up once: see roots.ts. On a database that is spread over servers, one server has the tree.
import { and, asc, desc, eq, gte, isNull, lt, or, sql } from 'drizzle-orm';
import type { Db } from '../connection/db.js';
import * as rows from '../tables/rows.js';
import { callbacks, receipts, runners, runs, schemas, states, tokens, trees } from '../tables/tables.js';

const id = sql.placeholder('id');
const root = sql.placeholder('root');

/** A receipt of a tree. Earlier versions did not write its root. */
const ofRoot = or(eq(receipts.rootSessionId, root), isNull(receipts.rootSessionId));

export function prepareByKey(db: Db) {
  const selectSchemas = () => db.select(rows.schemaColumns).from(schemas);
  return {
    tree: db.select(rows.treeColumns).from(trees).where(eq(trees.rootSessionId, id)).prepare('key_tree'),
    state: db
      .select(rows.stateColumns)
      .from(states)
      .where(and(eq(states.rootSessionId, root), eq(states.stateId, id)))
      .prepare('key_state'),
    run: db
      .select(rows.runColumns)
      .from(runs)
      .where(and(eq(runs.rootSessionId, root), eq(runs.runId, id)))
      .prepare('key_run'),
    runner: db.select(rows.runnerColumns).from(runners).where(eq(runners.runnerId, id)).prepare('key_runner'),
    callback: db
      .select(rows.callbackColumns)
      .from(callbacks)
      .where(and(eq(callbacks.rootSessionId, root), eq(callbacks.callbackId, id)))
      .prepare('key_callback'),
    receipt: db
      .select(rows.receiptColumns)
      .from(receipts)
      .where(and(eq(receipts.receiptId, id), ofRoot))
      .prepare('key_receipt'),
    receiptsOf: db
      .select(rows.receiptColumns)
      .from(receipts)
      .where(and(gte(receipts.receiptId, id), lt(receipts.receiptId, sql`${id} || '$'`), ofRoot))
      .orderBy(asc(receipts.receiptId))
      .prepare('key_receiptsOf'),
    newestSchema: selectSchemas()
      .where(eq(schemas.name, id))
      .orderBy(desc(schemas.version))
      .limit(1)
      .prepare('key_newestSchema'),
    schemaVersion: selectSchemas()
      .where(and(eq(schemas.name, id), eq(schemas.version, sql.placeholder('version'))))
      .prepare('key_schemaVersion'),
    tokens: db.select(rows.tokenColumns).from(tokens).orderBy(asc(tokens.seq)).prepare('key_tokens'),
  };
}
