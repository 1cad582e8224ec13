// Checks that referenced records exist, and that related records agree. Each query has the form of checks.ts.
import { sql, type SQL } from 'drizzle-orm';
import { NUMBERED_TABLES, OUT_OF_REACH } from '../row-numbers.js';
import type { Check } from './checks.js';

interface Reference {
  readonly from: readonly [table: string, alias: string, name: string];
  /** The column that holds the reference. */
  readonly what: string;
  /** Selects the rows that have the reference. */
  readonly when: string;
  /** A query for the referenced record. */
  readonly referenced: string;
  readonly of: string;
}

const SESSION = 'select 1 from sessions t where t.session_id =';
const RUN = 'select 1 from runs t where t.run_id =';
const STATE = 'select 1 from workflow_states t where';
const SCHEMA = 'select 1 from workflow_schemas t where t.schema_id =';
const TREE = 'select 1 from trees t where t.root_session_id =';

const REFERENCES: readonly Reference[] = [
  ref(
    'sessions s session_id',
    'parent_session_id',
    'session',
    `${SESSION} s.parent_session_id`,
    'parent_session_id is not null',
  ),
  ref('sessions s session_id', 'root_session_id', 'session', `${SESSION} s.root_session_id`),
  ref('sessions s session_id', 'root_session_id', 'tree', `${TREE} s.root_session_id`),
  ref('completions c session_id', 'session_id', 'session', `${SESSION} c.session_id`),
  ref('runs r run_id', 'session_id', 'session', `${SESSION} r.session_id`),
  ref(
    'runs r run_id',
    'generation',
    'completion',
    'select 1 from completions t where t.session_id = r.session_id and t.generation = r.generation',
  ),
  ref('callbacks b callback_id', 'parent_session_id', 'session', `${SESSION} b.parent_session_id`),
  ref('callbacks b callback_id', 'child_session_id', 'session', `${SESSION} b.child_session_id`),
  ref(
    'callbacks b callback_id',
    'child_generation',
    'completion',
    'select 1 from completions t where t.session_id = b.child_session_id and t.generation = b.child_generation',
  ),
  ref('callbacks b callback_id', 'run_id', 'run', `${RUN} b.run_id`, 'run_id is not null'),
  ref('trees s root_session_id', 'root_session_id', 'session', `${SESSION} s.root_session_id`),
  ref(
    'trees s root_session_id',
    'state_id',
    'state',
    `${STATE} t.state_id = s.state_id and t.root_session_id = s.root_session_id`,
    'state_id is not null',
  ),
  ref(
    'workflow_states s state_id',
    'root_session_id',
    'tree',
    `${TREE} s.root_session_id and t.state_id = s.state_id`,
  ),
  ref('workflow_states s state_id', 'schema_id', 'schema', `${SCHEMA} s.schema_id`),
  ref(
    'workflow_schemas o schema_id',
    'owner_root_session_id',
    'tree',
    `${TREE} o.owner_root_session_id`,
    'owner_root_session_id is not null',
  ),
  ref('workflow_archives a archive_id', 'state_id', 'state', `${STATE} t.state_id = a.state_id`),
  ref('state_events e event_id', 'state_key', 'state', `${STATE} t.seq = e.state_key`, "event_id <> ''"),
  ref(
    'state_events e event_id',
    'session_id',
    'session',
    `${SESSION} e.session_id`,
    'session_id is not null',
  ),
  ref('state_events e event_id', 'run_id', 'run', `${RUN} e.run_id`, 'run_id is not null'),
  ref(
    'state_events e event_id',
    'from_schema_id',
    'schema',
    `${SCHEMA} e.from_schema_id`,
    'from_schema_id is not null',
  ),
  ref('state_snapshots n state_key', 'state_key', 'state', `${STATE} t.seq = n.state_key`),
  ref('read_marks m session_id', 'state_id', 'state', `${STATE} t.state_id = m.state_id`),
  ref(
    'webhooks w webhook_id',
    'root_session_id',
    'tree',
    `${TREE} w.root_session_id`,
    'root_session_id is not null',
  ),
  ref(
    'webhooks w webhook_id',
    'owner_session_id',
    'session',
    `${SESSION} w.owner_session_id`,
    'owner_session_id is not null',
  ),
  ref(
    'webhook_deliveries d delivery_id',
    'webhook_id',
    'webhook',
    'select 1 from webhooks t where t.webhook_id = d.webhook_id',
    'webhook_id is not null',
  ),
  ref(
    'webhook_deliveries d delivery_id',
    'callback_id',
    'callback',
    'select 1 from callbacks t where t.callback_id = d.callback_id',
    'callback_id is not null',
  ),
  ref(
    'notices n subject_id',
    'subject_id',
    'session',
    `${SESSION} n.subject_id`,
    "kind in ('session', 'completion')",
  ),
  ref('notices n subject_id', 'subject_id', 'run', `${RUN} n.subject_id`, "kind = 'run'"),
  ref(
    'notices n subject_id',
    'subject_id',
    'callback',
    'select 1 from callbacks t where t.callback_id = n.subject_id',
    "kind = 'callback'",
  ),
];

function ref(from: string, column: string, of: string, referenced: string, when = 'true'): Reference {
  const [table = '', alias = '', name = ''] = from.split(' ');
  return {
    from: [table, alias, name],
    what: column,
    of,
    referenced,
    when: when.replace(/^(\w+) /, `${alias}.$1 `).replace(/^true/, 'true'),
  };
}

const references: readonly Check[] = REFERENCES.map(
  ({ from: [table, alias, name], what, of, referenced, when }) => ({
    check: 'reference_there',
    detail: (id) => `The ${what} of this record of ${table} is ${id}, but that ${of} is not there.`,
    over: [table, alias],
    broken: (slice) =>
      sql`select ${sql.raw(`${alias}.${name}`)} as subject, ${sql.raw(`${alias}.${what}`)} as what
      from ${sql.identifier(table)} ${sql.raw(alias)}
      where ${sql.raw(when)} and not exists (${sql.raw(referenced)}) and ${slice}`,
  }),
);

/** A row with such a number is in no list. A coordinator that starts on a file gives it another one. */
const NUMBERS_USABLE: readonly Check[] = NUMBERED_TABLES.map((table) => ({
  check: 'value_readable',
  detail: (seq) => `A row of ${table} has the number ${seq}, which the service never gives.`,
  broken: () => sql`select ${table} as subject, cast(seq as text) as what
    from ${sql.identifier(table)} where ${sql.raw(OUT_OF_REACH)}`,
}));

/** Rows of these tables are never removed, and where one commit follows another, their numbers have no gaps. */
export const NUMBERS_COMPLETE: readonly Check[] = [
  'sessions',
  'completions',
  'runs',
  'callbacks',
  'trees',
].map((table) => ({
  check: 'rows_complete',
  detail: (seq) => `A row of ${table} was removed: the one before number ${seq} is not there.`,
  over: [table, 's'],
  broken: (slice: SQL) =>
    sql`select ${table} as subject, s.seq as what from ${sql.identifier(table)} s
      where s.seq > 1 and not exists (select 1 from ${sql.identifier(table)} p where p.seq = s.seq - 1) and ${slice}`,
}));

/** A parent without such a URL gets no callback. */
const CALLBACK_URL_USABLE: Check = {
  check: 'value_readable',
  detail: (url) =>
    `The callback_url of the session is ${url.slice(0, 200)}, which is no URL of http or https.`,
  over: ['sessions', 's'],
  broken: (slice) => sql`select s.session_id as subject, coalesce(s.callback_url, 'missing') as what
    from sessions s where s.delivery = 'webhook' and s.deleted_at is null
      and (s.callback_url is null or s.callback_url not like 'http://_%' and s.callback_url not like 'https://_%')
      and ${slice}`,
};

/** For read cursor `m`. */
const newerVersion = sql`case when m.version > m.own_version then m.version else m.own_version end`;

const lives = (missingRunOfAttempt: SQL): readonly Check[] => [
  {
    check: 'generations_complete',
    detail: (generation) =>
      `The session is at generation ${generation}, but not each up to that has a completion.`,
    over: ['sessions', 's'],
    broken: (slice) => sql`select s.session_id as subject, s.generation as what from sessions s
      where (select count(*) from completions c where c.session_id = s.session_id and c.generation <= s.generation)
        <> s.generation and ${slice}`,
  },
  {
    check: 'earlier_generation_released',
    detail: (generation) => `Generation ${generation} was not handed on, although a later one has begun.`,
    over: ['completions', 'c'],
    broken: (slice) => sql`select c.session_id as subject, c.generation as what from completions c
      join sessions s on s.session_id = c.session_id
      where c.generation < s.generation and c.released_at is null and ${slice}`,
  },
  {
    check: 'running_session_has_run',
    detail: (status) => `The session is ${status}, but no run of it is under way.`,
    over: ['sessions', 's'],
    broken: (slice) => sql`select s.session_id as subject, s.status as what from sessions s
      where s.status = 'running' and not s.external and s.deleted_at is null and not exists (
        select 1 from runs r where r.session_id = s.session_id and r.completed_at is null) and ${slice}`,
  },
  {
    check: 'run_has_deadline',
    detail: () =>
      'The run waits in the line and would stay there for ever: it has no time at which it is looked at.',
    over: ['runs', 'r'],
    broken: (slice) => sql`select r.run_id as subject, r.status as what from runs r
      where r.status = 'pending' and r.due_at is null and ${slice}`,
  },
  {
    check: 'ended_run_over',
    detail: (status) => `The run is ${status}, but its end or its deadline says otherwise.`,
    over: ['runs', 'r'],
    broken: (slice) => sql`select r.run_id as subject, r.status as what from runs r
      where (r.status in ('completed', 'failed', 'stopped', 'timed_out')) <> (r.completed_at is not null)
        and ${slice}`,
  },
  {
    check: 'attempt_has_run',
    detail: (run) => `An attempt of the completion was run ${run}, which is not there.`,
    over: ['completions', 'c'],
    broken: (slice) => sql`select c.session_id as subject, ${missingRunOfAttempt} as what from completions c
      where ${missingRunOfAttempt} is not null and ${slice}`,
  },
  {
    check: 'version_known',
    detail: (version) => `The completion wrote version ${version}, which its state has not reached.`,
    over: ['completions', 'c'],
    broken: (slice) => sql`select c.session_id as subject, c.last_write_version as what from completions c
      join trees t on t.root_session_id = c.root_session_id
      join state_heads h on h.state_id = t.state_id
      where c.last_write_version > h.version and c.created_at >= h.created_at and ${slice}`,
  },
  {
    check: 'version_known',
    detail: (version) => `A session has seen version ${version}, which the state has not reached.`,
    over: ['read_marks', 'm'],
    broken: (slice) => sql`select m.state_id as subject, ${newerVersion} as what from read_marks m
      join state_heads h on h.state_id = m.state_id
      where ${newerVersion} > h.version and ${slice}`,
  },
];

/** The numbers of notices go by those of events. */
export const FEED_COMPLETE: Check = {
  check: 'feed_complete',
  detail: (seq) => `A notice stands after event number ${seq}, but the newest event has a lower number.`,
  over: ['notices', 'n'],
  broken: (slice) => sql`select n.kind || ' ' || n.subject_id as subject, n.after_event as what from notices n
    where n.after_event > (select coalesce(max(seq), 0) from state_events) and ${slice}`,
};

/**
 * In the order of the report.
 *
 * @param missingRunOfAttempt - See `AuditSource`. Databases look into JSON in different ways.
 * @param complete - Likewise.
 */
export function auditChecks(missingRunOfAttempt: SQL, complete: readonly Check[]): readonly Check[] {
  return [...NUMBERS_USABLE, CALLBACK_URL_USABLE, ...references, ...complete, ...lives(missingRunOfAttempt)];
}
