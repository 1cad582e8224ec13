// What is left of a tree when all is over: its history as the service tells it, its records as they stand in the database,
// and what its agents noted down.
import Database from 'better-sqlite3';
import { keepStatements } from '../../src/store/sqlite/kept-statements.js';
import type { EventView, JsonValue } from '../../src/client/index.js';
import type { Note } from '../support/agents.js';
import { must, type Stage } from '../support/stage.js';
import type { Scenario } from './scenario.js';

export interface SessionRow {
  readonly id: string;
  readonly name: string;
}

export interface CompletionRow {
  readonly session_id: string;
  readonly name: string;
  /** Name; `null` for the root. */
  readonly parent: string | null;
  readonly generation: number;
  readonly status: string;
  readonly reason: string | null;
  readonly released_at: number | null;
  readonly work_outcome: string | null;
  readonly work_error: string | null;
}

export interface CallbackRow {
  readonly callback_id: string;
  readonly child_session_id: string;
  readonly child_generation: number;
  readonly status: string;
  readonly run_id: string | null;
  readonly message: string | null;
}

export interface Remains {
  readonly state: { readonly version: number; readonly document: JsonValue };
  readonly events: readonly EventView[];
  readonly sessions: readonly SessionRow[];
  readonly completions: readonly CompletionRow[];
  readonly callbacks: readonly CallbackRow[];
  readonly notes: readonly Note[];
}

/** The records of a tree as they stand in the database. */
export type TreeRecords = Pick<Remains, 'sessions' | 'completions' | 'callbacks'>;

/** @param recordsOf - Reads the database. */
export async function remainsOf(
  stage: Pick<Stage, 'operator' | 'agents'>,
  scenario: Scenario,
  recordsOf: (rootSessionId: string) => TreeRecords | Promise<TreeRecords>,
): Promise<Remains> {
  const state = must(await stage.operator.sessions.state(scenario.root));
  const records = await recordsOf(state.root_session_id);
  const names = new Set(records.sessions.map((one) => one.name));
  return {
    state: { version: state.version, document: state.current_data },
    events: await historyOf(stage, state.state_id),
    ...records,
    notes: stage.agents.notes().filter((note) => names.has(note.session)),
  };
}

/** All events of a state, oldest first. */
export async function historyOf(
  stage: Pick<Stage, 'operator'>,
  stateId: string,
): Promise<readonly EventView[]> {
  const events: EventView[] = [];
  for (;;) {
    const since = events.at(-1)?.version ?? 0;
    const page = must(await stage.operator.states.events(stateId, { since, limit: 1000 }));
    events.push(...page.events);
    if (!page.has_more) return events;
  }
}

/** The records of a tree in a database file. */
export function recordsInFile(db: string, root: string): TreeRecords {
  const client = keepStatements(new Database(db, { readonly: true }));
  try {
    const all = <T>(sql: string) => client.prepare<[string], T>(sql).all(root);
    return {
      sessions: all<SessionRow>(
        'select session_id as id, session_name as name from sessions where root_session_id = ?',
      ),
      completions: all<CompletionRow>(
        `select s.session_name as name, s.parent_session_name as parent, c.generation, c.session_id, c.status, c.reason,
           c.released_at, c.work_outcome, c.work_error
         from completions c join sessions s on s.session_id = c.session_id where c.root_session_id = ?`,
      ),
      callbacks: all<CallbackRow>('select * from callbacks where root_session_id = ?'),
    };
  } finally {
    client.close();
  }
}
