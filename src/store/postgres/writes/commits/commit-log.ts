// What commits lock, and what they publish to other coordinators: their changes without long texts. See ADR 0030.
import { checkEvent, type Evidence } from '../../../../domain/evidence/check.js';
import type { Change, Changeset, Put } from '../../../../domain/transactions/changeset.js';
import { anyCount } from '../planner-hint.js';

/** How many commits a coordinator may be behind. If it is further behind, it discards all that it has cached. */
export const COMMITS_KEPT = 2_000;

/** Others apply a patch of at most this length to their cached document. Without a longer one, they read it again. */
const PATCH_CHARACTERS_PUBLISHED = 2_048;

/** After this many commits, those that no coordinator needs any more are removed. */
export const COMMITS_FORGOTTEN_AT_ONCE = 500;

/**
 * A commit with the number n writes its state events and domain events with the numbers n * FEED_BLOCK and above, in order.
 * So the items of one commit are adjacent in the feed.
 */
export const FEED_BLOCK = 65_536;

/** The channel on which a coordinator says that it has committed. */
export const CHANNEL = 'countersign_commits';

/** The class of the advisory locks of transactions in progress. Any number that other programs do not use. */
const IN_PROGRESS = 722_641_811;

/** Numbers are compared modulo this: an advisory lock has 31 bits for them. */
const MODULUS = 2 ** 31;

/** Says that a transaction is in progress, which will take no number up to the newest one. */
export const HOLD = {
  name: 'hold_number',
  text: `select pg_advisory_xact_lock_shared(${String(IN_PROGRESS)}, (last_value % ${String(MODULUS)})::int)
    from commit_numbers`,
};

/**
 * Which server process has the database, as an expression. Another one may not have the newest commits: a standby that has
 * taken over, or a server that was started on a backup.
 */
const SERVER = `(extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint::text`;

/** The newest number that was taken, and the server. */
export const NEWEST_NUMBER = {
  name: 'newest_number',
  text: `select last_value as newest, ${SERVER} as server from commit_numbers`,
};

/** What `HOLD` has said in transactions that are in progress. Not part of a snapshot: they may end meanwhile. */
export const HELD_NUMBERS = {
  name: 'held_numbers',
  text: `select distinct objid::bigint as held from pg_locks
    where locktype = 'advisory' and classid = ${String(IN_PROGRESS)} and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())`,
};

/**
 * The newest number of which it is certain that no transaction in progress takes it or a lower one.
 *
 * @param newest - Read before `held`.
 */
export function stableNumber(newest: number, held: readonly number[]): number {
  let stable = newest;
  for (const one of held) {
    const behind = (((newest - one) % MODULUS) + MODULUS) % MODULUS;
    if (behind < MODULUS / 2) stable = Math.min(stable, newest - behind);
  }
  return stable;
}

/** Bounds a number of commits, which anyone can have edited, so that JavaScript has it exactly and one more can be counted. */
const bounded = (commits: string) => `${commits} % ${String(Number.MAX_SAFE_INTEGER)}`;

/** The number of commits of a key, as an expression. */
export const commitsOf = (key: string) =>
  `coalesce((select ${bounded('commits')} from tree_commits where key = ${key}), 0)`;

const LOCK_KEYS = `insert into tree_commits as t (key, commits)
    select k.key, 1 from unnest($1::text[]) with ordinality k(key, at) order by k.at
    on conflict (key) do update set commits = ${bounded('t.commits')} + 1
    returning key, commits`;

/** Locks keys, which have to be in order, and counts a commit for each. */
export const LOCK = { name: 'lock_keys', text: LOCK_KEYS };

/** Says that a transaction is in progress, and locks its first keys: `HOLD` and `LOCK` in one statement. */
export const HOLD_AND_LOCK = {
  name: 'hold_and_lock_keys',
  text: `with hold as materialized (${HOLD.text}),
    locked as (${LOCK_KEYS.replace('order by', 'where exists (select 1 from hold) order by')})
    select key, commits from locked`,
};

/** `HOLD_AND_LOCK`, which fails if a key has not the expected number of commits then. */
export const LOCK_EXPECTED = {
  name: 'lock_expected_keys',
  text: `with hold as materialized (${HOLD.text}),
    locked as (${LOCK_KEYS.replace('order by', 'where exists (select 1 from hold) order by')})
    select 1 / (case when count(*) = cardinality($1::text[]) then 1 else 0 end)
    from locked join unnest($1::text[], $2::bigint[]) as e(key, commits) using (key, commits)`,
};

/**
 * How many other coordinators work on the database, as an expression.
 *
 * @param id - The parameter with the id of this coordinator.
 * @param goneMs - The parameter with the time after which one counts as gone.
 */
export const othersBeside = (id: string, goneMs: string) => `(select count(*)::int from coordinators
      where coordinator_id <> ${id} and seen_at > clock_timestamp() - make_interval(secs => ${goneMs}::float8 / 1000))`;

const OTHERS = othersBeside('$3', '$5');

/**
 * How many other coordinators work on the database. Fails if the key `$4` has not the number of commits `$1`, if there are
 * others and `$2` is false, or if the server is not `$6`. To be run under the locks, in a statement of its own, like `SINCE`.
 */
export const OTHERS_EXPECTED = {
  name: 'others_expected',
  text: `select others, 1 / (case when (others = 0 or $2::boolean) and ${SERVER} = $6
        and ${commitsOf('$4')} = $1::bigint then 1 else 0 end) as is_expected
    from ${OTHERS} as found(others)`,
};

/**
 * The server, how many other coordinators work on the database, whether they count this one as gone, the number of commits of
 * the key `$4`, and what others have committed after the commit number `$1` for the keys `$2` and `$4`, without the commits `$6`. To
 * be run under the locks, in a statement of its own: only then it sees all commits before.
 */
export const SINCE = {
  name: 'commits_since',
  text: `select
    ${SERVER} as server,
    ${OTHERS} as others,
    (select seen_at <= clock_timestamp() - make_interval(secs => $5::float8 / 1000) from coordinators
      where coordinator_id = $3) as is_gone,
    ${commitsOf('$4')} as watched,
    (select coalesce(json_agg(json_build_object('number', number, 'key', key, 'commits', commits, 'committed', changes)
        order by number), '[]') from commit_changes
      where number > $1 and key = any ($2::text[] || $4::text) and coordinator_id <> $3
        and number <> all ($6::bigint[])) as missed`,
};

/**
 * What others have committed after the commit number `$1`, oldest first, without the commits `$3`. Lists each
 * number: for `number > $1` the planner would choose a full scan. A coordinator that is so far behind that the
 * bound leaves commits out has to discard its whole cache anyway.
 */
export const SWEEP = {
  name: 'sweep_commits',
  text: `select number, key, commits, changes as committed from commit_changes
    where number = any (array(
        select generate_series($1::bigint + 1, least(last_value, $1::bigint + ${String(2 * COMMITS_KEPT)})) from commit_numbers
        except select unnest($3::bigint[])))
      and coordinator_id <> $2 order by number, key`,
};

/** Takes the number of the commit. */
export const TAKE_NUMBER = { name: 'take_number', text: "select nextval('commit_numbers')" };

/** Records the changes of a commit, a row for each key. */
export const RECORD = {
  name: 'record_commit',
  text: `insert into commit_changes (number, key, commits, coordinator_id, changes)
    select currval('commit_numbers'), r.key, r.commits, $1, r.changes::json
    from unnest($2::text[], $3::bigint[], $4::text[]) as r(key, commits, changes)`,
};

/** Forgets the changes of commits up to a number. Costs a look at all that are recorded. */
export const FORGET = { name: 'forget_commits', text: 'delete from commit_changes where number <= $1' };

/** Counts the rows of trees that are never removed. */
export const COUNT_ROWS = {
  name: 'count_rows',
  text: `update tree_commits t set sessions = t.sessions + r.sessions, completions = t.completions + r.completions,
      runs = t.runs + r.runs, callbacks = t.callbacks + r.callbacks
    from json_to_recordset($1) as r(key text, sessions bigint, completions bigint, runs bigint, callbacks bigint)
    where t.key = r.key and ${anyCount('r.sessions')}`,
};

/** The channel on which a coordinator says that its decision about a state was overtaken. */
export const OVERTAKEN_CHANNEL = 'countersign_overtaken';

/** A notification in a transaction of its own. It has nothing to keep, so it does not wait for the disk. */
const notifyOn = (channel: string) =>
  `select set_config('synchronous_commit', 'off', true), pg_notify('${channel}', $1)`;

/** Sent to all coordinators at once. */
export const NOTIFY_OVERTAKEN = { name: 'say_overtaken', text: notifyOn(OVERTAKEN_CHANNEL) };

/**
 * Sent to all coordinators after a commit, in a transaction of its own: the server lets only one transaction that notifies
 * commit at a time. If it is not sent, the others find the commit when they look.
 */
export const NOTIFY = { name: 'notify_commit', text: notifyOn(CHANNEL) };

/** A commit of a coordinator. */
export interface Committed {
  /** The id of the coordinator. */
  readonly by: string;
  readonly changes: Changeset;
}

/** A row of `commit_changes`. */
export interface PublishedCommit {
  readonly number: string | number;
  readonly key: string;
  readonly commits: string | number;
  /** `null` if its changes are not known one by one. */
  readonly committed: Committed | null;
}

/** A commit as other coordinators read it. */
export function textOfCommit({ by, changes }: Committed): string {
  return JSON.stringify({ by, changes: changes.flatMap((change) => publishedChange(change) ?? []) });
}

/** `null` for records that no listener of commits needs. */
function publishedChange(change: Change): Change | null {
  if ('remove' in change) return change;
  switch (change.put) {
    case 'event': {
      const { patchText } = change.record;
      return patchText.length <= PATCH_CHARACTERS_PUBLISHED
        ? change
        : put('event', { ...change.record, patchText: '' });
    }
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
    case 'readCursor':
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

/** The commit without damaged patches. A reader that needs them reads the history, and finds the damage. */
export function checked(committed: Committed, evidence: Evidence): Committed {
  const changes = committed.changes.map((change) => {
    if ('remove' in change || change.put !== 'event' || change.record.patchText === '') return change;
    const isSound = checkEvent(evidence, change.record, 0) === null;
    return isSound ? change : put('event', { ...change.record, patchText: '' });
  });
  return { ...committed, changes };
}
