// Tells the log why runs fail: each once, from what was committed.
import { LRUCache } from 'lru-cache';
import type { Changeset } from '../domain/changeset.js';
import { boundedText } from '../domain/excerpt.js';
import { DEFAULT_LIMITS } from '../domain/limits.js';
import type { Run } from '../domain/records.js';
import type { Logger } from '../ports/runtime.js';

const { logErrorCharactersMax, loggedRunsMax } = DEFAULT_LIMITS;

export class RunLog {
  /** What was told last of a run: one that waits may be put again for another reason. */
  readonly #told = new LRUCache<string, string>({ max: loggedRunsMax });

  constructor(private readonly logger: Logger) {}

  hear(changes: Changeset): void {
    for (const change of changes) {
      if ('put' in change && change.put === 'run') this.#note(change.record);
    }
  }

  #note(run: Run): void {
    const { runId, sessionName, purpose, status, attempt, cause, error } = run;
    const isOver = status === 'failed' || status === 'timed_out';
    if (error === null || !(isOver || status === 'pending')) return;
    const what = `${status} ${String(attempt)}`;
    if (this.#told.get(runId) === what) return;
    this.#told.set(runId, what);
    const fields = { run_id: runId, session: sessionName, purpose, attempt, cause };
    const facts = { ...fields, error: boundedText(error, logErrorCharactersMax) };
    if (isOver) this.logger.warn(facts, status === 'failed' ? 'run failed' : 'run timed out');
    else this.logger.info(facts, 'run failed and is tried again');
  }
}
