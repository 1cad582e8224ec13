// What a commit tells other coordinators: its changes without long texts, which nobody who hears of a commit uses.
import type { Change, Changeset, Put } from '../../../domain/transactions/changeset.js';

/** How many commits a coordinator may be behind. If it is further behind, it discards all that it has cached. */
export const COMMITS_KEPT = 2_000;

/** The channel on which a coordinator says that it has committed. */
export const CHANNEL = 'countersign_commits';

/** The positions of the last commit, under a lock that the transaction keeps. */
export const LOCK = {
  name: 'lock_commit_positions',
  text: 'select commits, events, notices from commit_positions where id = 1 for update',
};

export const ADVANCE = {
  name: 'advance_commit_positions',
  text: 'update commit_positions set commits = $1, events = $2, notices = $3 where id = 1',
};

/**
 * How many other coordinators work on the database, and what was committed since the commit `$1`. To be run under the
 * lock of `commit_positions`, in a statement of its own: only then it sees all commits before.
 */
export const SINCE = {
  name: 'commits_since',
  text: `select
    (select count(*)::int from coordinators
      where coordinator_id <> $2 and seen_at > clock_timestamp() - $3 * interval '1 millisecond') as others,
    (select coalesce(json_agg(changes order by commits), '[]') from commit_changes where commits > $1) as missed`,
};

/** The number of commits, and what was committed since the commit `$1`, at one point in time. */
export const CATCH_UP = {
  name: 'catch_up',
  text: `select commits,
    (select coalesce(json_agg(changes order by commits), '[]') from commit_changes where commits > $1) as missed
    from commit_positions where id = 1`,
};

/** Records the changes of a commit, and forgets those of an old one. */
export const RECORD = {
  name: 'record_commit',
  text: `with outdated as (delete from commit_changes where commits <= $1::bigint - ${String(COMMITS_KEPT)})
    insert into commit_changes (commits, changes) values ($1, $2)`,
};

/** The channel on which a coordinator says that its decision about a state was overtaken. */
export const OVERTAKEN_CHANNEL = 'countersign_overtaken';

/** Sent to all coordinators at once. */
export const SAY_OVERTAKEN = { name: 'say_overtaken', text: `select pg_notify('${OVERTAKEN_CHANNEL}', $1)` };

/** Sent to all coordinators when the transaction is committed. */
export const NOTIFY = { name: 'notify_commit', text: `select pg_notify('${CHANNEL}', $1)` };

/** What a coordinator has committed. */
export interface Committed {
  /** The id of the coordinator. */
  readonly by: string;
  readonly changes: Changeset;
}

/** A commit as other coordinators read it. */
export function textOfCommit({ by, changes }: Committed): string {
  return JSON.stringify({ by, changes: changes.flatMap((change) => told(change) ?? []) });
}

/** `null` for records that no listener of commits needs. */
function told(change: Change): Change | null {
  if ('remove' in change) return change;
  switch (change.put) {
    case 'event':
      return put('event', { ...change.record, patchText: '' });
    case 'notice':
      return put('notice', { ...change.record, facts: {} });
    case 'run':
      return put('run', { ...change.record, prompt: '', metadata: {}, usage: null });
    case 'callback':
      return put('callback', { ...change.record, message: null });
    case 'delivery':
      return put('delivery', { ...change.record, body: '', attempts: [] });
    case 'completion': {
      const without = { resultText: null, resultData: null, request: null, attempts: [], changes: [] };
      return put('completion', { ...change.record, ...without });
    }
    case 'snapshot':
    case 'archive':
    case 'schema':
    case 'receipt':
    case 'readMark':
    case 'token':
    case 'runner':
      return null;
    default:
      return change;
  }
}

function put<K extends Put['put']>(kind: K, record: Extract<Put, { put: K }>['record']): Change {
  return { put: kind, record } as Put;
}
