// The columns of each record, in the shape that Drizzle selects. Only this file maps rows to records.
import { getTableColumns, getViewSelectedFields, sql } from 'drizzle-orm';
import { recordOf } from '../../rows/record-columns.js';
import * as tables from './tables.js';

export const schemaColumns = recordOf(getTableColumns(tables.schemas), ['seq']);
export const stateColumns = recordOf(getViewSelectedFields(tables.stateHeads), ['seq']);
export const sessionColumns = recordOf(getTableColumns(tables.sessions), ['seq']);
export const completionColumns = recordOf(getTableColumns(tables.completions), ['seq']);
export const runColumns = recordOf(getTableColumns(tables.runs), ['seq']);
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
export const readCursorColumns = recordOf(getTableColumns(tables.readCursors), ['seq']);

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
