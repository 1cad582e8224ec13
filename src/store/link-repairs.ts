// Puts references right that were edited: to the parent, the tree, the child, or the generation of a record. What a reference
// should be is said by two others that agree. Nothing is given up for that. The SQL is that of every database.
import { sql, type SQL } from 'drizzle-orm';
import type { RecordKind } from '../domain/damage/damage.js';
import { isOfOtherWork } from './unattended.js';

/** A statement that returns the names of the records that it puts right, and what was wrong with them. */
type LinkRepair = readonly [kind: RecordKind, statement: SQL, what: string];

const PARENT_OF = 'from sessions p where p.session_id = s.parent_session_id';

/** The parent of session `s` by its name: names stay when the id is edited. */
const PARENT_BY_NAME = `from sessions p where p.session_name = s.parent_session_name
  and p.root_session_id = s.root_session_id and p.depth = s.depth - 1`;

/** True if the tree of session `s` is that of its parent, or its own if it is a root. */
const IS_ANCHORED = `(s.parent_session_name is null and s.root_session_id = s.session_id
  or exists (select 1 ${PARENT_OF} and p.root_session_id = s.root_session_id))`;

/** True if session `s` has a completion of its generation. */
const HAS_COMPLETION = `exists (select 1 from completions c
  where c.session_id = s.session_id and c.generation = s.generation)`;

/** True if another record says that session `s` has reached its generation. */
const IS_REACHED = `(exists (select 1 from runs r where r.session_id = s.session_id and r.generation = s.generation)
  or exists (select 1 from callbacks b where b.child_session_id = s.session_id and b.child_generation = s.generation))`;

const TREE = 'was in another tree than its session';

/** In this order: each relies on those before it. */
export function linkRepairs(rootSessionId: string): readonly LinkRepair[] {
  return [
    ...sessionRepairs(rootSessionId),
    treeOf('completion', 'completions', 'session_id', 'session_id', rootSessionId),
    treeOf('run', 'runs', 'session_id', 'run_id', rootSessionId),
    treeOf('callback', 'callbacks', 'child_session_id', 'callback_id', rootSessionId),
    ...generationRepairs(rootSessionId),
    runRepair(rootSessionId),
    ...callbackRepairs(rootSessionId),
  ];
}

function sessionRepairs(id: string): readonly LinkRepair[] {
  return [
    [
      'session',
      sql`update sessions as s set root_session_id = s.session_id
        where s.parent_session_id is null and s.parent_session_name is null and s.root_session_id <> s.session_id
          and (s.session_id = ${id} or s.root_session_id = ${id}) returning session_id as name`,
      'was in the tree of another session',
    ],
    [
      'session',
      sql`update sessions as s set parent_session_id = null
        where s.session_id = ${id} and s.root_session_id = ${id} and s.parent_session_name is null
          and s.parent_session_id is not null returning session_id as name`,
      'had a parent, although it is a root',
    ],
    [
      'session',
      sql`update sessions as s set parent_session_id = (select p.session_id ${sql.raw(PARENT_BY_NAME)}
          order by case when p.deleted_at is null then 0 else 1 end, p.seq desc limit 1)
        where s.root_session_id = ${id} and s.parent_session_name is not null
          and not exists (select 1 ${sql.raw(PARENT_OF)} and p.session_name = s.parent_session_name)
          and exists (select 1 ${sql.raw(PARENT_BY_NAME)}) returning session_id as name`,
      'had another parent than the one that it names',
    ],
    [
      'session',
      sql`update sessions as s set root_session_id = (select p.root_session_id ${sql.raw(PARENT_OF)})
        where exists (select 1 from completions c where c.session_id = s.session_id and c.generation = s.generation
          and c.root_session_id <> s.root_session_id and (c.root_session_id = ${id} or s.root_session_id = ${id})
          and c.root_session_id = (select p.root_session_id ${sql.raw(PARENT_OF)})) returning session_id as name`,
      'was in another tree than its parent',
    ],
  ];
}

/** Moves the records of a table to the tree of their session. */
function treeOf(kind: RecordKind, table: string, session: string, name: string, id: string): LinkRepair {
  const ofSession = sql.raw(`from sessions s where s.session_id = t.${session}`);
  const statement = sql`update ${sql.identifier(table)} as t set root_session_id = (select s.root_session_id ${ofSession})
    where exists (select 1 ${ofSession} and s.root_session_id <> t.root_session_id
      and (s.root_session_id = ${id} or t.root_session_id = ${id}) and ${sql.raw(IS_ANCHORED)})
    returning ${sql.identifier(name)} as name`;
  return [kind, statement, TREE];
}

function generationRepairs(id: string): readonly LinkRepair[] {
  const open = 'from completions o where o.session_id = s.session_id and o.released_at is null';
  return [
    [
      'completion',
      sql`update completions as c set generation =
          (select s.generation from sessions s where s.session_id = c.session_id)
        where c.root_session_id = ${id} and exists (select 1 from sessions s where s.session_id = c.session_id
          and not ${sql.raw(HAS_COMPLETION)} and ${sql.raw(IS_REACHED)} and c.seq = (select max(o.seq) ${sql.raw(open)}))
        returning session_id as name`,
      'was of another generation than its session',
    ],
    [
      'session',
      sql`update sessions as s set generation = coalesce((select min(o.generation) ${sql.raw(open)}),
          (select max(c.generation) from completions c where c.session_id = s.session_id))
        where s.root_session_id = ${id} and (
          exists (select 1 ${sql.raw(open)} and o.generation < s.generation)
          or not ${sql.raw(HAS_COMPLETION)} and not ${sql.raw(IS_REACHED)}
            and exists (select 1 from completions c where c.session_id = s.session_id))
        returning session_id as name`,
      'was at a generation that it has not reached',
    ],
  ];
}

/** A session has one unfinished run for each of its open generations. */
function runRepair(id: string): LinkRepair {
  const open = sql.raw(`from completions c where c.session_id = r.session_id and c.released_at is null
    and not exists (select 1 from runs o where o.session_id = c.session_id and o.generation = c.generation
      and o.completed_at is null and o.run_id <> r.run_id)`);
  return [
    'run',
    sql`update runs as r set generation = (select min(c.generation) ${open})
      where r.root_session_id = ${id} and ${isOfOtherWork} and exists (select 1 ${open}) returning run_id as name`,
    'was of another generation than the open work of its session',
  ];
}

function callbackRepairs(id: string): readonly LinkRepair[] {
  const child = sql.raw(`from sessions s where s.session_name = b.child_session_name
    and s.root_session_id = b.root_session_id and s.parent_session_id = b.parent_session_id
    and not exists (select 1 from callbacks o where o.child_session_id = s.session_id
      and o.child_generation = b.child_generation)`);
  const named = sql.raw('from sessions s where s.session_id = b.child_session_id');
  /** Generations of the child that are not over, and that have no callback. */
  const untold = sql.raw(`from completions c join sessions s on s.session_id = c.session_id
    where c.session_id = b.child_session_id and c.generation >= s.generation
      and not exists (select 1 from callbacks o where o.child_session_id = c.session_id
        and o.child_generation = c.generation)`);
  const held = sql`b.root_session_id = ${id} and b.status = 'held'`;
  return [
    [
      'callback',
      sql`update callbacks as b set status = 'held', run_id = null, delivery_id = null, queued_at = null,
          delivered_at = null, acknowledged_at = null, reason = null
        where b.root_session_id = ${id} and b.status in ('queued', 'delivered', 'acknowledged') and b.message is null
          and exists (select 1 from completions c where c.session_id = b.child_session_id
            and c.generation = b.child_generation and c.released_at is null)
        returning callback_id as name`,
      'was handed on before its child was released',
    ],
    [
      'callback',
      sql`update callbacks as b set child_session_id = (select min(s.session_id) ${child})
        where ${held} and not exists (select 1 ${named} and s.session_name = b.child_session_name)
          and exists (select 1 ${child}) returning callback_id as name`,
      'was of another child than the one that it names',
    ],
    [
      'callback',
      sql`update callbacks as b set parent_session_id = (select s.parent_session_id ${named})
        where b.root_session_id = ${id} and b.status in ('held', 'queued')
          and exists (select 1 ${named} and s.parent_session_id <> b.parent_session_id
          and exists (select 1 ${sql.raw(PARENT_OF)} and p.session_name = s.parent_session_name
              and p.root_session_id = s.root_session_id))
        returning callback_id as name`,
      'was for another session than the parent of its child',
    ],
    [
      'callback',
      sql`update callbacks as b set child_generation = (select min(c.generation) ${untold})
        where ${held} and exists (select 1 ${untold}) and not exists (select 1 from completions c
          join sessions s on s.session_id = c.session_id where c.session_id = b.child_session_id
            and c.generation = b.child_generation and c.generation >= s.generation)
        returning callback_id as name`,
      'was of another generation than its child',
    ],
  ];
}
