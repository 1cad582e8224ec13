// Checks that columns copied from another record agree with it. Each query has the form of checks.ts.
import { sql } from 'drizzle-orm';
import type { Check } from './checks.js';

/** A copied column of a table whose rows have numbers. */
interface Copy {
  readonly table: string;
  readonly alias: string;
  /** The column that identifies the record, and the copied column. */
  readonly name: string;
  readonly column: string;
  /** SQL for the original value; `null` if the other record is missing, which another check reports. */
  readonly origin: string;
  /** Selects the rows that have a copy. */
  readonly when?: string;
}

const sessionOf = (column: string, id: string) =>
  `(select t.${column} from sessions t where t.session_id = ${id})`;
const rootOf = (table: string, key: string, id: string) =>
  `(select t.root_session_id from ${table} t where t.${key} = ${id})`;

const sessions = { table: 'sessions', alias: 's', name: 'session_id' };
const completions = { table: 'completions', alias: 'c', name: 'session_id' };
const runs = { table: 'runs', alias: 'r', name: 'run_id' };
const callbacks = { table: 'callbacks', alias: 'b', name: 'callback_id' };
const notices = { table: 'notices', alias: 'n', name: 'subject_id' };
const ROOT = 'root_session_id';

const COPIES: readonly Copy[] = [
  { ...sessions, column: ROOT, origin: sessionOf(ROOT, 's.parent_session_id') },
  { ...sessions, column: ROOT, origin: 's.session_id', when: 's.parent_session_id is null' },
  { ...sessions, column: 'depth', origin: sessionOf('depth + 1.0', 's.parent_session_id') },
  { ...sessions, column: 'depth', origin: '0', when: 's.parent_session_id is null' },
  {
    ...sessions,
    column: 'parent_session_name',
    origin: sessionOf('session_name', 's.parent_session_id'),
  },
  { ...completions, column: ROOT, origin: sessionOf(ROOT, 'c.session_id') },
  { ...runs, column: ROOT, origin: sessionOf(ROOT, 'r.session_id') },
  { ...runs, column: 'session_name', origin: sessionOf('session_name', 'r.session_id') },
  { ...callbacks, column: ROOT, origin: sessionOf(ROOT, 'b.child_session_id') },
  { ...callbacks, column: ROOT, origin: sessionOf(ROOT, 'b.parent_session_id') },
  {
    ...callbacks,
    column: 'parent_session_id',
    origin: sessionOf('parent_session_id', 'b.child_session_id'),
  },
  { ...callbacks, column: 'child_session_name', origin: sessionOf('session_name', 'b.child_session_id') },
  {
    table: 'state_events',
    alias: 'e',
    name: 'event_id',
    column: ROOT,
    origin: rootOf('workflow_states', 'seq', 'e.state_key'),
  },
  {
    table: 'state_snapshots',
    alias: 'n',
    name: 'state_key',
    column: ROOT,
    origin: rootOf('workflow_states', 'seq', 'n.state_key'),
  },
  {
    table: 'workflow_archives',
    alias: 'a',
    name: 'archive_id',
    column: ROOT,
    origin: rootOf('workflow_states', 'state_id', 'a.state_id'),
  },
  {
    ...notices,
    column: ROOT,
    origin: sessionOf(ROOT, 'n.subject_id'),
    when: "n.kind in ('session', 'completion')",
  },
  { ...notices, column: ROOT, origin: rootOf('runs', 'run_id', 'n.subject_id'), when: "n.kind = 'run'" },
  {
    ...notices,
    column: ROOT,
    origin: rootOf('callbacks', 'callback_id', 'n.subject_id'),
    when: "n.kind = 'callback'",
  },
  {
    table: 'webhook_deliveries',
    alias: 'd',
    name: 'delivery_id',
    column: ROOT,
    origin: rootOf('callbacks', 'callback_id', 'd.callback_id'),
  },
];

export const COPY_CHECKS: readonly Check[] = COPIES.map(copyCheck);

function copyCheck({ table, alias, name, column, origin, when }: Copy): Check {
  return {
    check: 'copy_agrees',
    detail: (value) => differs(table, column, value),
    over: [table, alias],
    broken: (slice) =>
      sql`select ${sql.raw(`${alias}.${name}`)} as subject, ${sql.raw(`${alias}.${column}`)} as what
      from ${sql.identifier(table)} ${sql.raw(alias)}
      where ${sql.raw(when ?? 'true')} and ${sql.raw(origin)} is not null
        and ${sql.raw(`${alias}.${column} is distinct from ${origin}`)} and ${slice}`,
  };
}

function differs(table: string, column: string, value: string): string {
  return `The ${column} of this record of ${table} is ${value.slice(0, 200)}, which is not what the record that it belongs to says.`;
}

/** For a table that only one of the databases has with a tree, and whose rows refer to their state. */
export function treeOfStateAgrees(table: string, key: 'state_key' | 'state_id'): Check {
  const state = key === 'state_key' ? 'seq' : 'state_id';
  return {
    check: 'copy_agrees',
    detail: (value) => differs(table, ROOT, value),
    over: ['workflow_states', 's'],
    broken: (slice) => sql`select s.state_id as subject, k.root_session_id as what
      from workflow_states s join ${sql.identifier(table)} k on ${sql.raw(`k.${key} = s.${state}`)}
      where k.root_session_id is distinct from s.root_session_id and ${slice}`,
  };
}
