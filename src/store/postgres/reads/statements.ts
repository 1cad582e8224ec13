// The prepared statements of the reader.
import { and, asc, desc, eq, isNull, lte, sql } from 'drizzle-orm';
import type { Db } from '../connection/db.js';
import { runOfWork, runUnfinished } from '../../rows/record-columns.js';
import * as rows from '../tables/rows.js';
import {
  archives,
  completions,
  readCursors,
  runners,
  runs,
  schemas,
  sessions,
  tokens,
} from '../tables/tables.js';
import { prepareByKey } from './by-key.js';
import { openCompletionSeqs } from '../../lists/open-completions.js';

const id = sql.placeholder('id');
const root = sql.placeholder('root');

export type PreparedReads = ReturnType<typeof prepareReads>;

export function prepareReads(db: Db) {
  const selectSessions = () => db.select(rows.sessionColumns).from(sessions);
  const selectCompletions = () => db.select(rows.completionColumns).from(completions);
  const selectWorkRuns = () =>
    db
      .select(rows.runColumns)
      .from(runs)
      .where(and(eq(runs.rootSessionId, root), eq(runs.sessionId, id), runOfWork));
  return {
    ...prepareByKey(db),
    session: selectSessions()
      .where(and(eq(sessions.rootSessionId, root), eq(sessions.sessionId, id), isNull(sessions.deletedAt)))
      .prepare('read_session'),
    sessionByName: selectSessions()
      .where(and(eq(sessions.rootSessionId, root), eq(sessions.sessionName, id), isNull(sessions.deletedAt)))
      .prepare('read_sessionByName'),
    /** Its tree is not known. */
    sessionOfAnyTree: selectSessions()
      .where(and(eq(sessions.sessionName, id), isNull(sessions.deletedAt)))
      .prepare('read_sessionOfAnyTree'),
    completion: selectCompletions()
      .where(
        and(
          eq(completions.rootSessionId, root),
          eq(completions.sessionId, id),
          eq(completions.generation, sql.placeholder('generation')),
        ),
      )
      .prepare('read_completion'),
    presentCompletion: selectCompletions()
      .where(
        and(
          eq(completions.rootSessionId, root),
          eq(completions.sessionId, id),
          sql`${completions.generation} = (
            select generation from sessions where root_session_id = ${root} and session_id = ${id})`,
        ),
      )
      .prepare('read_presentCompletion'),
    openCompletions: selectCompletions()
      .innerJoin(
        sessions,
        and(
          eq(sessions.rootSessionId, completions.rootSessionId),
          eq(sessions.sessionId, completions.sessionId),
          lte(sessions.generation, completions.generation),
        ),
      )
      .where(and(eq(completions.rootSessionId, id), sql`${completions.seq} in ${openCompletionSeqs(id)}`))
      .orderBy(asc(completions.seq))
      .prepare('read_openCompletions'),
    runners: db.select(rows.runnerColumns).from(runners).orderBy(asc(runners.seq)).prepare('read_runners'),
    firstWorkRuns: selectWorkRuns().orderBy(asc(runs.seq)).limit(1).prepare('read_firstWorkRuns'),
    lastWorkRuns: selectWorkRuns().orderBy(desc(runs.seq)).limit(2).prepare('read_lastWorkRuns'),
    runsOfRunner: db
      .select(rows.runColumns)
      .from(runs)
      .where(and(eq(runs.runnerId, id), runUnfinished))
      .orderBy(asc(runs.seq))
      .prepare('read_runsOfRunner'),
    schemaById: db
      .select(rows.schemaColumns)
      .from(schemas)
      .where(eq(schemas.schemaId, id))
      .prepare('read_schemaById'),
    archive: db
      .select(rows.archiveColumns)
      .from(archives)
      .where(eq(archives.archiveId, id))
      .prepare('read_archive'),
    tokenByHash: db
      .select(rows.tokenColumns)
      .from(tokens)
      .where(eq(tokens.hash, id))
      .prepare('read_tokenByHash'),
    readCursor: db
      .select(rows.readCursorColumns)
      .from(readCursors)
      .where(
        and(
          eq(readCursors.rootSessionId, root),
          eq(readCursors.stateId, sql.placeholder('state')),
          eq(readCursors.sessionId, id),
        ),
      )
      .prepare('read_readCursor'),
  };
}
