// The columns of each record, in the shape that Drizzle selects. Only this file maps rows to records.
import { getTableColumns, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { selected } from './columns.js';
import { recordOf } from '../../rows/record-columns.js';
import * as tables from './tables.js';

export const schemaColumns = recordOf(getTableColumns(tables.schemas), ['seq']);
export const stateColumns = recordOf(getTableColumns(tables.states), ['seq']);
export const sessionColumns = recordOf(getTableColumns(tables.sessions), ['seq']);
export const completionColumns = {
  ...recordOf(getTableColumns(tables.completions), ['seq']),
  attempts: selected(tables.completions.attempts),
};
export const runColumns = {
  ...recordOf(getTableColumns(tables.runs), ['seq']),
  demands: selected(tables.runs.demands),
};
export const runnerColumns = recordOf(getTableColumns(tables.runners), ['seq']);
export const archiveColumns = {
  ...recordOf(getTableColumns(tables.archives), ['seq']),
  // The driver does not check NULL, which an edited table can have.
  invocations: sql`coalesce(${tables.archives.invocations}, 'null')`.mapWith(tables.archives.invocations),
};
export const callbackColumns = recordOf(getTableColumns(tables.callbacks), ['seq']);
export const treeColumns = recordOf(getTableColumns(tables.trees), ['seq']);
export const receiptColumns = recordOf(getTableColumns(tables.receipts), ['seq']);
export const tokenColumns = recordOf(getTableColumns(tables.tokens), ['seq']);
export const webhookColumns = recordOf(getTableColumns(tables.webhooks), ['seq']);
export const deliveryColumns = recordOf(getTableColumns(tables.deliveries), ['seq']);
export const destinationColumns = recordOf(getTableColumns(tables.destinations), ['seq']);
export const readCursorColumns = recordOf(getTableColumns(tables.readCursors), ['seq', 'rootSessionId']);

/** All columns of a table, for queries that read rows of any kind. */
export function columnsOf(table: PgTable) {
  const columns: Readonly<Record<string, PgColumn>> = getTableColumns(table);
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, selected(column)]));
}

/** For queries that join events to their states. */
export const eventColumns = {
  ...recordOf(getTableColumns(tables.events), ['seq', 'stateKey']),
  stateId: tables.states.stateId,
};

/** For queries that join snapshots to their states. */
export const snapshotColumns = {
  ...recordOf(getTableColumns(tables.snapshots), ['seq', 'stateKey']),
  stateId: tables.states.stateId,
};
