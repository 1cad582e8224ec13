// The tables of PostgreSQL.
import { pgTable, pgView } from 'drizzle-orm/pg-core';
import * as service from '../../tables/service.js';
import * as ofTrees from '../../tables/sessions.js';
import * as ofStates from '../../tables/states.js';
import { columns, feedNumber, indexed, sequence, table } from './columns.js';

export { commitChanges, commitNumbers, coordinators, treeCommits } from './commit-tables.js';

export const schemas = table(ofStates.schemas(columns), sequence());

const heads = ofStates.states(columns);

export const states = pgTable(
  heads.name,
  {
    /** Also the key of the state in events and snapshots: shorter than its id. */
    seq: sequence(),
    ...heads.columns,
    lenient: columns.flag('tolerates', false),
    unsignedThrough: columns.count('unsigned_through').default(0),
    signature: columns.nullable.text('signature'),
    revision: columns.revision('revision'),
  },
  indexed(heads),
);

/** What the checks of the doctor call the heads. */
export const stateHeads = pgView('state_heads').as((db) => db.select().from(states));

export const events = table(ofStates.events(columns), feedNumber());
export const snapshots = table(ofStates.snapshots(columns), sequence());

/** For a table whose records name their state alone. A trigger fills it in where a statement does not. */
const ofState = { rootSessionId: columns.nullable.text('root_session_id') };

const compactions = ofStates.cuts(columns);

export const cuts = pgTable(
  compactions.name,
  { stateKey: columns.count('state_key').primaryKey(), ...compactions.columns, ...ofState },
  indexed(compactions),
);

export const archives = table(ofStates.archives(columns), sequence());

const cursors = ofStates.readCursors(columns);

export const readCursors = pgTable(
  cursors.name,
  { seq: sequence(), ...cursors.columns, ...ofState },
  indexed(cursors),
);

export const notices = table(ofStates.notices(columns), feedNumber());
export const trees = table(ofTrees.trees(columns), sequence());
export const sessions = table(ofTrees.sessions(columns), sequence());
export const completions = table(ofTrees.completions(columns), sequence());
export const runs = table(ofTrees.runs(columns), sequence());
export const callbacks = table(ofTrees.callbacks(columns), sequence());
export const runners = table(service.runners(columns), sequence());
export const tokens = table(service.tokens(columns), sequence());
export const receipts = table(service.receipts(columns), sequence());
export const webhooks = table(service.webhooks(columns), sequence());
export const deliveries = table(service.deliveries(columns), sequence());
export const destinations = table(service.destinations(columns), sequence());

export const settings = pgTable('settings', {
  name: columns.text('name').primaryKey(),
  value: columns.text('value'),
});
