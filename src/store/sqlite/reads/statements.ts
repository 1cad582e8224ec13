// The prepared statements of the reader, each made by a function.
import { and, asc, desc, eq, isNull, lte, sql } from 'drizzle-orm';
import type { Db } from '../db.js';
import { openCompletionSeqs } from '../../lists/open-completions.js';
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
import { whenUsed } from '../when-used.js';
import { statementsByKey } from './by-key.js';
import { timerStatements } from './timers.js';

const id = sql.placeholder('id');

export function prepareReads(db: Db) {
  const selectSessions = () => db.select(rows.sessionColumns).from(sessions);
  const selectCompletions = () => db.select(rows.completionColumns).from(completions);
  const selectWorkRuns = () =>
    db
      .select(rows.runColumns)
      .from(runs)
      .where(and(eq(runs.sessionId, id), runOfWork));
  return whenUsed({
    ...statementsByKey(db),
    ...timerStatements(db),
    session: () =>
      selectSessions()
        .where(and(eq(sessions.sessionId, id), isNull(sessions.deletedAt)))
        .prepare(),
    sessionByName: () =>
      selectSessions()
        .where(and(eq(sessions.sessionName, id), sql`${sessions.deletedAt} is null`))
        .prepare(),
    completion: () =>
      selectCompletions()
        .where(and(eq(completions.sessionId, id), eq(completions.generation, sql.placeholder('generation'))))
        .prepare(),
    presentCompletion: () =>
      selectCompletions()
        .where(
          and(
            eq(completions.sessionId, id),
            sql`${completions.generation} = (select generation from sessions where session_id = ${id})`,
          ),
        )
        .prepare(),
    openCompletions: () =>
      selectCompletions()
        .innerJoin(
          sessions,
          and(
            eq(sessions.sessionId, completions.sessionId),
            lte(sessions.generation, completions.generation),
          ),
        )
        .where(and(eq(completions.rootSessionId, id), sql`${completions.seq} in ${openCompletionSeqs(id)}`))
        .orderBy(asc(completions.seq))
        .prepare(),
    runners: () => db.select(rows.runnerColumns).from(runners).orderBy(asc(runners.seq)).prepare(),
    firstWorkRuns: () => selectWorkRuns().orderBy(asc(runs.seq)).limit(1).prepare(),
    lastWorkRuns: () => selectWorkRuns().orderBy(desc(runs.seq)).limit(2).prepare(),
    runsOfRunner: () =>
      db
        .select(rows.runColumns)
        .from(runs)
        .where(and(eq(runs.runnerId, id), runUnfinished))
        .orderBy(asc(runs.seq))
        .prepare(),
    schemaById: () => db.select(rows.schemaColumns).from(schemas).where(eq(schemas.schemaId, id)).prepare(),
    archive: () => db.select(rows.archiveColumns).from(archives).where(eq(archives.archiveId, id)).prepare(),
    tokenByHash: () => db.select(rows.tokenColumns).from(tokens).where(eq(tokens.hash, id)).prepare(),
    readCursor: () =>
      db
        .select(rows.readCursorColumns)
        .from(readCursors)
        .where(and(eq(readCursors.stateId, sql.placeholder('state')), eq(readCursors.sessionId, id)))
        .prepare(),
  });
}
