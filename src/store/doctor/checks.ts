// The invariants that `countersign doctor` checks. Each query finds the records that violate one: `subject`
// is the record's id, `what` the detail for its sentence. The SQL is that of every database. No damaged number may
// overflow: PostgreSQL refuses the statement then.
import { sql, type SQL } from 'drizzle-orm';
import { POINT_PRECEDES_EVENTS } from '../reads/feed.js';

export interface Check {
  readonly check: string;
  readonly detail: (what: string) => string;
  /** The table and its alias in the query. The check runs slice by slice over this table. */
  readonly over?: readonly [table: string, alias: string];
  /** @param slice - Restricts the rows of that table. */
  readonly broken: (slice: SQL) => SQL;
}

const UNFINISHED = sql.raw(`('pending', 'claimed', 'running', 'stopping')`);
const UNDER_WAY = sql.raw(`('claimed', 'running', 'stopping')`);

/**
 * True if the session of completion `c` has callbacks that are held (the child has not finished) or not yet
 * delivered.
 */
const awaits = sql.raw(
  `exists (select 1 from callbacks b where b.parent_session_id = c.session_id and b.status in ('held', 'queued'))`,
);

const hasUnfinishedRun = sql`exists (
  select 1 from runs r where r.session_id = c.session_id and r.generation = c.generation and r.status in ${UNFINISHED})`;

/** True if completion `c` belongs to work that begins when the session's work before it is over. */
const isNext = sql`exists (
  select 1 from completions e where e.session_id = c.session_id and e.generation < c.generation
    and (e.released_at is null or e.status = 'pending' or exists (
      select 1 from runs r where r.session_id = e.session_id and r.generation = e.generation and r.status in ${UNFINISHED})))`;

/** For state `s`. A compacted history begins with a snapshot of this version. */
const oldestVersion = sql`coalesce((select c.oldest_version from state_history_cuts c where c.state_key = s.seq), 1)`;

const histories: readonly Check[] = [
  {
    check: 'history_complete',
    detail: (what) =>
      `The history does not hold each version up to ${what} exactly once, from the first or from where it was cut.`,
    over: ['workflow_states', 's'],
    broken: (slice) => sql`select s.state_id as subject, s.version as what from state_heads s
      where ((select count(*) from state_events e where e.state_key = s.seq) <> s.version - 1.0 * ${oldestVersion} + 1
        or (select min(version) from state_events e where e.state_key = s.seq) is distinct from ${oldestVersion})
        and ${slice}`,
  },
  {
    check: 'history_chained',
    detail: (what) => `The event of version ${what} is not chained to the one before it.`,
    over: ['state_events', 'e'],
    broken: (slice) => sql`select s.state_id as subject, e.version as what
      from state_events e join workflow_states s on s.seq = e.state_key
      left join state_events p on p.state_key = e.state_key and p.version = case when e.version > 1 then e.version - 1 end
      where e.previous_hash <> case e.version when 1 then '' else coalesce(p.hash, e.previous_hash) end
        and ${slice}`,
  },
  {
    check: 'head_matches_history',
    detail: (what) => `The head was last kept at version ${what}, with a hash that is not that of its event.`,
    over: ['workflow_states', 's'],
    broken: (slice) => sql`select s.state_id as subject, s.version as what from workflow_states s
      where not exists (
        select 1 from state_events e where e.state_key = s.seq and e.version = s.version and e.hash = s.last_hash)
        and ${slice}`,
  },
  {
    check: 'snapshot_kept',
    detail: (what) => `Version ${what} should be kept whole, but is not there.`,
    over: ['workflow_states', 's'],
    broken: (slice) => sql`select s.state_id as subject, s.snapshot_version as what from workflow_states s
      where not exists (select 1 from state_snapshots n where n.state_key = s.seq and n.version = s.snapshot_version)
        and ${slice}`,
  },
  {
    check: 'snapshot_kept',
    detail: () => 'Version 1 should be kept whole, but is not there.',
    over: ['workflow_states', 's'],
    broken: (slice) => sql`select s.state_id as subject, 1 as what from workflow_states s
      where s.snapshot_version <> 1
        and not exists (select 1 from state_history_cuts c where c.state_key = s.seq)
        and not exists (select 1 from state_snapshots n where n.state_key = s.seq and n.version = 1)
        and ${slice}`,
  },
  {
    check: 'cut_history_begins_whole',
    detail: (what) => `The history was cut at version ${what}, which is not kept whole.`,
    broken: () => sql`select s.state_id as subject, c.oldest_version as what
      from state_history_cuts c join workflow_states s on s.seq = c.state_key
      where not exists (select 1 from state_snapshots n where n.state_key = s.seq and n.version = c.oldest_version)`,
  },
  {
    check: 'feed_complete',
    detail: (what) =>
      `The compaction point says that events up to number ${what} were removed, but no later event begins the history.`,
    broken:
      () => sql`select coalesce(s.state_id, cast(c.state_key as text)) as subject, c.through_event as what
      from state_history_cuts c left join workflow_states s on s.seq = c.state_key
      where not ${sql.raw(POINT_PRECEDES_EVENTS)}`,
  },
];

const callbacks: readonly Check[] = [
  {
    check: 'released_callback_sent',
    detail: (what) => `The callback is still held although its child ${what} was released.`,
    over: ['callbacks', 'b'],
    broken: (slice) => sql`select b.callback_id as subject, b.child_session_id as what
      from callbacks b
      join completions c on c.session_id = b.child_session_id and c.generation = b.child_generation
      where b.status = 'held' and c.released_at is not null
        and ${slice}`,
  },
  {
    check: 'release_has_callback',
    detail: (what) =>
      `Generation ${what} was released and the parent asked to be told, but there is no callback.`,
    over: ['completions', 'c'],
    broken: (slice) => sql`select c.session_id as subject, c.generation as what
      from completions c join sessions s on s.session_id = c.session_id
      where c.generation = 1 and c.released_at is not null and s.callback and s.parent_session_id is not null
        and not exists (
          select 1 from callbacks b where b.child_session_id = c.session_id and b.child_generation = c.generation)
        and ${slice}`,
  },
  {
    check: 'queued_callback_carried',
    detail: (what) =>
      `The callback is on its way with run ${what}, which has ended, or is none of its parent.`,
    over: ['callbacks', 'b'],
    broken: (slice) => sql`select b.callback_id as subject, b.run_id as what from callbacks b
      where b.status = 'queued' and b.run_id is not null
        and not exists (select 1 from runs r where r.run_id = b.run_id
          and r.session_id = b.parent_session_id and r.status in ${UNFINISHED})
        and ${slice}`,
  },
  {
    check: 'callback_has_text',
    detail: (what) => `The callback is ${what}, but has no message for the parent.`,
    over: ['callbacks', 'callbacks'],
    broken: (slice) => sql`select callback_id as subject, status as what from callbacks
      where status in ('queued', 'delivered', 'acknowledged') and message is null
        and ${slice}`,
  },
  {
    check: 'queued_callback_has_a_way',
    detail: (what) =>
      `The callback waits to resume ${what}, which has no run that could carry it or be waited for.`,
    over: ['callbacks', 'b'],
    broken: (slice) => sql`select b.callback_id as subject, b.parent_session_id as what from callbacks b
      where b.status = 'queued' and b.run_id is null and b.delivery = 'resume'
        and not exists (select 1 from runs r where r.session_id = b.parent_session_id and r.status in ${UNFINISHED})
        and not exists (
          select 1 from callbacks h where h.parent_session_id = b.parent_session_id and h.status = 'held')
        and ${slice}`,
  },
  {
    check: 'queued_callback_has_message',
    detail: (what) =>
      `The callback waits to be told to the URL of ${what}, but no message to it is on its way.`,
    over: ['callbacks', 'b'],
    broken: (slice) => sql`select b.callback_id as subject, b.parent_session_id as what from callbacks b
      where b.status = 'queued' and b.delivery = 'webhook'
        and not exists (
          select 1 from webhook_deliveries d where d.delivery_id = b.delivery_id and d.due_at is not null)
        and ${slice}`,
  },
  {
    check: 'dead_callback_explained',
    detail: (what) => `The callback of child ${what} is a dead letter without a reason.`,
    over: ['callbacks', 'callbacks'],
    broken: (slice) => sql`select callback_id as subject, child_session_id as what from callbacks
      where status = 'dead' and reason is null
        and ${slice}`,
  },
];

const completions: readonly Check[] = [
  {
    check: 'ended_completion_released',
    detail: (what) => `The completion is ${what} but was not handed on, and nothing will do it.`,
    over: ['completions', 'c'],
    broken: (slice) => sql`select c.session_id as subject, c.status as what from completions c
      where c.released_at is null and c.work_outcome is not null and not ${hasUnfinishedRun} and not ${awaits}
        and (c.status in ('failed', 'skipped') or c.status = 'completed' and c.due_at is null)
        and ${slice}`,
  },
  {
    check: 'pending_completion_moves',
    detail: (what) =>
      `The completion is pending (attempt ${what}), but no run, time or child will move it on.`,
    over: ['completions', 'c'],
    broken: (slice) => sql`select c.session_id as subject, c.attempt as what from completions c
      where c.status = 'pending' and c.due_at is null and not ${awaits}
        and not ${hasUnfinishedRun}
        and ${slice}`,
  },
  {
    check: 'ended_work_settled',
    detail: (what) => `The work ended (${what}), but its completion never began, and nothing is waited for.`,
    over: ['completions', 'c'],
    broken: (slice) => sql`select c.session_id as subject, c.work_outcome as what from completions c
      where c.status = 'none' and c.work_outcome is not null and c.released_at is null
        and not ${awaits} and not ${hasUnfinishedRun} and not ${isNext}
        and ${slice}`,
  },
  {
    check: 'next_work_begins',
    detail: (what) => `Generation ${what} waits for the work before it, which is over.`,
    over: ['completions', 'c'],
    broken: (slice) => sql`select c.session_id as subject, c.generation as what from completions c
      join sessions s on s.session_id = c.session_id
      where c.released_at is null and c.generation > s.generation and s.deleted_at is null and not ${isNext}
        and ${slice}`,
  },
  {
    check: 'open_work_watched',
    detail: (what) =>
      `The work of ${what} is not over, no run does it, and no time is set after which the session counts as lost.`,
    over: ['completions', 'c'],
    broken: (slice) => sql`select c.session_id as subject, s.session_name as what from completions c
      join sessions s on s.session_id = c.session_id and s.generation = c.generation
      where c.released_at is null and c.work_outcome is null and c.due_at is null and c.status <> 'pending'
        and s.parent_session_id is not null and s.deleted_at is null and not ${hasUnfinishedRun} and not ${isNext}
        and coalesce(s.heartbeat_timeout_ms, 1) <> 0
        and ${slice}`,
  },
];

const runs: readonly Check[] = [
  {
    check: 'one_run_under_way',
    detail: (what) => `The session has ${what} runs under way at once.`,
    broken: () => sql`select session_id as subject, count(*) as what from runs
      where status in ${UNDER_WAY} group by session_id having count(*) > 1`,
  },
  {
    check: 'run_has_deadline',
    detail: (what) =>
      `The run is ${what} and would stay so for ever: it has no time at which it is looked at again.`,
    broken: () =>
      sql`select run_id as subject, status as what from runs where status in ${UNDER_WAY} and due_at is null`,
  },
];

const deliveries: readonly Check[] = [
  {
    check: 'delivery_moves',
    detail: (what) => `The delivery is ${what}, but no time or check will move it on.`,
    over: ['webhook_deliveries', 'webhook_deliveries'],
    broken: (slice) => sql`select delivery_id as subject, status as what from webhook_deliveries
      where ended_at is null and due_at is null and status <> 'checking'
        and ${slice}`,
  },
  {
    check: 'dead_delivery_explained',
    detail: (what) => `The delivery of ${what} is a dead letter without a reason.`,
    over: ['webhook_deliveries', 'webhook_deliveries'],
    broken: (slice) => sql`select delivery_id as subject, type as what from webhook_deliveries
      where status = 'dead' and reason is null
        and ${slice}`,
  },
];

const sessions: readonly Check[] = [
  {
    check: 'session_not_lost',
    detail: (what) =>
      `The session is lost. ${what} Its parent was told. Start or resume it in its client, or delete it.`,
    over: ['completions', 'c'],
    broken: (slice) => sql`select c.session_id as subject, c.work_error as what
      from completions c join sessions s on s.session_id = c.session_id and s.generation = c.generation
      where c.work_outcome = 'lost' and s.deleted_at is null and s.status = 'failed'
        and ${slice}`,
  },
];

const settings: readonly Check[] = [
  {
    check: 'value_readable',
    detail: () => 'This setting is empty. The next start makes a new one; session tokens of before end then.',
    broken: () =>
      sql`select name as subject, name as what from settings where name = 'session_token_secret' and value = ''`,
  },
];

/** In the order of the report. */
export const CHECKS: readonly Check[] = [
  ...histories,
  ...callbacks,
  ...completions,
  ...sessions,
  ...runs,
  ...deliveries,
  ...settings,
];
