// What has to be true of a tree when all is over, whoever was killed on the way. Pure.
import { isDeepStrictEqual } from 'node:util';
import fastJsonPatch from 'fast-json-patch';
import type { EventView } from '../../src/client/index.js';
import type { Note } from '../support/agents.js';
import type { CompletionRow, Remains } from './remains.js';
import { OUTCOMES, starterOf, type Kind, type Scenario } from './scenario.js';

/**
 * What is wrong with the tree, in sentences; none where all is well.
 *
 * @param redelivered - Ids of callbacks that were dead letters, and were delivered again.
 */
export function problemsIn(
  remains: Remains,
  scenario: Pick<Scenario, 'root' | 'children'>,
  redelivered: ReadonlySet<string>,
): readonly string[] {
  const { sessions, completions, notes } = remains;
  const idOf = new Map(sessions.map((one) => [one.name, one.id]));
  return [
    ...[scenario.root, ...scenario.children]
      .filter((name) => !idOf.has(name))
      .flatMap((name) => missingProblems(name, starterOf(name, scenario), completions)),
    ...notes.flatMap(({ session, fault }) =>
      fault === undefined ? [] : [`${session} was answered ${fault}`],
    ),
    ...historyProblems(remains),
    ...notes.flatMap((note) => writeProblems(note, idOf.get(note.session) ?? '', remains.events)),
    ...completions.flatMap(completionProblems),
    ...completions.flatMap((one) => callbackProblems(one, remains, redelivered)),
  ];
}

/** Work that was given up with its runners starts no children, and says so. */
const WORK_GIVEN_UP = /^The runner was lost, \d+ times\.$/;

function missingProblems(name: string, starter: string, completions: readonly CompletionRow[]): string[] {
  const first = completions.find((one) => one.name === starter && one.generation === 1);
  if (first?.work_outcome === 'failed' && WORK_GIVEN_UP.test(first.work_error ?? '')) return [];
  const work = `the work of ${starter} is ${first?.work_outcome ?? 'not there'}`;
  return [`${name} was never started: ${work}, ${first?.work_error ?? 'without an error'}`];
}

function historyProblems({ events, state: { version, document } }: Remains): string[] {
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
  return patch;
}

/** A write that its agent was told of has to stand in the history, under the version that it was told. */
function writeProblems({ session, wrote }: Note, sessionId: string, events: readonly EventView[]): string[] {
  if (wrote === undefined) return [];
  const holds = (event: EventView) =>
    event.session_id === sessionId &&
    operationsOf(event).some((one) => one.path === wrote.path || one.path.startsWith(`${wrote.path}/`));
  const found = wrote.changed ? events.filter((event) => event.version === wrote.version) : events;
  return found.some(holds)
    ? []
    : [`a write of ${session} was acknowledged and is lost: ${JSON.stringify(wrote)}`];
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
  { callbacks, notes }: Remains,
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
