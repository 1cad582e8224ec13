// What has to be true of a tree when all is over, whoever was killed on the way. Looks at the records themselves.
import { isDeepStrictEqual } from 'node:util';
import Database from 'better-sqlite3';
import fastJsonPatch from 'fast-json-patch';
import type { EventView } from '../../src/client/index.js';
import type { Note } from '../support/agents.js';
import { must, type Stage } from '../support/stage.js';
import { OUTCOMES, type Kind, type Scenario } from './scenario.js';

/** What is wrong with the tree, in sentences; none where all is well. */
export async function problemsOf(
  stage: Stage,
  scenario: Scenario,
  redelivered: ReadonlySet<string>,
): Promise<readonly string[]> {
  const state = must(await stage.operator.sessions.state(scenario.root));
  const events = await historyOf(stage, state.state_id);
  const { sessions, completions, callbacks } = recordsOf(stage.db, state.root_session_id);
  const notes = stage.agents.notes().filter((note) => sessions.some((one) => one.name === note.session));
  const idOf = new Map(sessions.map((one) => [one.name, one.id]));
  return [
    ...namesOf(scenario)
      .filter((name) => !idOf.has(name))
      .map((name) => `${name} was never started`),
    ...notes.flatMap((note) =>
      note.fault === undefined ? [] : [`${note.session} was answered ${note.fault}`],
    ),
    ...historyProblems(events, state.version, state.current_data),
    ...notes.flatMap((note) => writeProblems(note, idOf.get(note.session) ?? '', events)),
    ...completions.flatMap(completionProblems),
    ...completions.flatMap((one) => callbackProblems(one, callbacks, notes, redelivered)),
  ];
}

const namesOf = (scenario: Scenario) => [scenario.root, ...scenario.children];

async function historyOf(stage: Stage, stateId: string): Promise<readonly EventView[]> {
  const events: EventView[] = [];
  for (;;) {
    const since = events.at(-1)?.version ?? 0;
    const page = must(await stage.operator.states.events(stateId, { since, limit: 1000 }));
    events.push(...page.events);
    if (!page.has_more) return events;
  }
}

function historyProblems(events: readonly EventView[], version: number, document: unknown): string[] {
  const gap = events.findIndex((event, n) => event.version !== n + 1);
  if (gap !== -1)
    return [`the history has ${String(events[gap]?.version)} where ${String(gap + 1)} was to be`];
  if (events.length !== version)
    return [`the history ends with ${String(events.length)}, the state has ${String(version)}`];
  let replayed: unknown = null;
  for (const { patch } of events) {
    replayed = fastJsonPatch.applyPatch(replayed, operationsOf({ patch }), true, false).newDocument;
  }
  return isDeepStrictEqual(replayed, document) ? [] : ['the history does not give the document'];
}

function operationsOf({ patch }: Pick<EventView, 'patch'>): fastJsonPatch.Operation[] {
  return patch as unknown as fastJsonPatch.Operation[];
}

/** A write that its agent was told of has to stand in the history, under the version that it was told. */
function writeProblems({ session, wrote }: Note, sessionId: string, events: readonly EventView[]): string[] {
  if (wrote === undefined) return [];
  const holds = (event: EventView) =>
    event.session_id === sessionId &&
    event
      .operationsOf({ patch })
      .some((one) => one.path === wrote.path || one.path.startsWith(`${wrote.path}/`));
  const found = wrote.changed ? events.filter((event) => event.version === wrote.version) : events;
  return found.some(holds)
    ? []
    : [`a write of ${session} was acknowledged and is lost: ${JSON.stringify(wrote)}`];
}

interface CompletionRow {
  readonly name: string;
  readonly generation: number;
  readonly session_id: string;
  readonly parent: string | null;
  readonly status: string;
  readonly reason: string | null;
  readonly released_at: number | null;
}

interface CallbackRow {
  readonly callback_id: string;
  readonly child_session_id: string;
  readonly child_generation: number;
  readonly status: string;
  readonly run_id: string | null;
  readonly message: string | null;
}

function recordsOf(db: string, root: string) {
  const client = new Database(db, { readonly: true });
  try {
    const all = <T>(sql: string) => client.prepare<[string], T>(sql).all(root);
    return {
      sessions: all<{ id: string; name: string }>(
        'select session_id as id, session_name as name from sessions where root_session_id = ?',
      ),
      completions: all<CompletionRow>(
        `select s.session_name as name, s.parent_session_name as parent, c.generation, c.session_id, c.status, c.reason,
           c.released_at from completions c join sessions s on s.session_id = c.session_id where c.root_session_id = ?`,
      ),
      callbacks: all<CallbackRow>('select * from callbacks where root_session_id = ?'),
    };
  } finally {
    client.close();
  }
}

/** Kills may cost a child its result only where it says so. */
const COST_OF_KILLS = /could not be asked|failed in a row/;

function completionProblems({
  name,
  generation,
  parent,
  status,
  reason,
  released_at,
}: CompletionRow): string[] {
  const who = `${name}, generation ${String(generation)},`;
  if (released_at === null) return [`${who} was never released`];
  if (parent === null) return [];
  const expected = OUTCOMES[name.split('-')[1] as Kind];
  const excused = status === 'failed' && COST_OF_KILLS.test(reason ?? '');
  return status === expected || excused
    ? []
    : [`${who} is ${status} instead of ${expected}: ${reason ?? ''}`];
}

/** One callback for a piece of work, carried by one run: whatever else that run was told, no other run was told it. */
function callbackProblems(
  { name, generation, session_id, parent }: CompletionRow,
  callbacks: readonly CallbackRow[],
  notes: readonly Note[],
  redelivered: ReadonlySet<string>,
): string[] {
  if (parent === null) return [];
  const who = `the callback of ${name}, generation ${String(generation)},`;
  const own = callbacks.filter(
    (one) => one.child_session_id === session_id && one.child_generation === generation,
  );
  const [callback] = own;
  if (callback === undefined || own.length > 1) return [`${who} is there ${String(own.length)} times`];
  if (callback.status !== 'delivered') return [`${who} is ${callback.status}`];
  const tellers = notes.filter(
    (note) => note.session === parent && note.told?.includes(callback.message ?? ''),
  );
  const runs = new Set(tellers.map((note) => note.run));
  if (!runs.has(callback.run_id ?? '')) return [`${who} was delivered, but ${parent} never saw it`];
  if (runs.size > 1 && !redelivered.has(callback.callback_id)) {
    return [`${who} was seen in ${String(runs.size)} runs: ${[...runs].join(', ')}`];
  }
  return [];
}
