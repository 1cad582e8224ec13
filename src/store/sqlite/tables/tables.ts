// The tables of SQLite.
import { sqliteTable } from 'drizzle-orm/sqlite-core';
import * as service from '../../tables/service.js';
import * as ofTrees from '../../tables/sessions.js';
import * as ofStates from '../../tables/states.js';
import { columns, indexed, sequence, sequenceNeverReused, stateKey, table } from './columns.js';

export { stateHeads } from './head-view.js';

export const schemas = table(ofStates.schemas(columns), sequenceNeverReused());

const heads = ofStates.states(columns);

/** Heads as of each state's last snapshot. `stateHeads` shows the current ones. */
export const states = sqliteTable(
  heads.name,
  {
    /** Also the key of the state in events and snapshots: shorter than its id. */
    seq: sequenceNeverReused(),
    ...heads.columns,
    lenient: columns.flag('tolerates', false),
    revision: columns.revision('revision'),
  },
  indexed(heads),
);

/**
 * Signed heads. Separate, so that a write to one of many states rewrites a short row, and none where histories are not
 * signed.
 */
export const headSignatures = sqliteTable('state_head_signatures', {
  stateKey: stateKey(),
  rootSessionId: columns.text('root_session_id'),
  unsignedThrough: columns.count('unsigned_through'),
  signature: columns.nullable.text('signature'),
});

export const events = table(ofStates.events(columns), sequence());
export const snapshots = table(ofStates.snapshots(columns), sequence());

const compactions = ofStates.cuts(columns);

export const cuts = sqliteTable(
  compactions.name,
  { stateKey: stateKey(), ...compactions.columns },
  indexed(compactions),
);

export const archives = table(ofStates.archives(columns), sequence());
export const readCursors = table(ofStates.readCursors(columns), sequence());
export const notices = table(ofStates.notices(columns), sequenceNeverReused());
export const trees = table(ofTrees.trees(columns), sequence());
export const sessions = table(ofTrees.sessions(columns), sequence());
export const completions = table(ofTrees.completions(columns), sequence());
export const runs = table(ofTrees.runs(columns), sequence());
export const callbacks = table(ofTrees.callbacks(columns), sequence());
export const runners = table(service.runners(columns), sequenceNeverReused());
export const tokens = table(service.tokens(columns), sequence());
export const receipts = table(service.receipts(columns), sequence());
export const webhooks = table(service.webhooks(columns), sequenceNeverReused());
export const deliveries = table(service.deliveries(columns), sequenceNeverReused());
export const destinations = table(service.destinations(columns), sequenceNeverReused());

export const settings = sqliteTable('settings', {
  name: columns.text('name').primaryKey(),
  value: columns.text('value'),
});
