// Logs failed runs with their errors. It reads them from commits.
import type { Changeset } from '../domain/transactions/changeset.js';
import { boundedText } from '../domain/excerpt.js';
import { DEFAULT_LIMITS } from '../domain/limits.js';
import type { Run } from '../domain/records/records.js';
import type { Logger } from '../ports/runtime.js';

export function logFailedRuns(logger: Logger, changes: Changeset): void {
  for (const change of changes) {
    if ('put' in change && change.put === 'run') note(logger, change.record);
  }
}

function note(logger: Logger, run: Run): void {
  const { status, error } = run;
  const isOver = status === 'failed' || status === 'timed_out';
  if (error === null || !(isOver || status === 'pending')) return;
  const facts = {
    run_id: run.runId,
    session: run.sessionName,
    purpose: run.purpose,
    attempt: run.attempt,
    cause: run.cause,
    error: boundedText(error, DEFAULT_LIMITS.logErrorCharactersMax),
  };
  if (isOver) logger.warn(facts, status === 'failed' ? 'run failed' : 'run timed out');
  else logger.info(facts, 'run failed and is tried again');
}
