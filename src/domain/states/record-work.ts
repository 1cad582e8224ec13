// Adds the starts and releases of children to the tree's workflow record, in the same commit. Runs after settling,
// and changes nothing else of the decision.
import { boundedText } from '../excerpt.js';
import type { JsonValue } from '../json/json.js';
import { textsMember } from '../json/members.js';
import type { Completion, StateHead } from '../records/records.js';
import { commitWrites, type PreparedWrite } from './write.js';
import type { DocumentView } from '../transactions/decision-context.js';
import type { SessionAggregate } from '../transactions/loaded-records.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import type { CompleteInvocation, StartInvocation } from '../workflow/commands.js';
import type { Ending } from '../workflow/workflow.js';

/** Inputs from outside; `undefined` if an input is not in memory yet. */
export interface RecordingInputs {
  /** Whether a state is on a workflow schema. */
  readonly isWorkflow: (head: StateHead) => boolean | undefined;
  /** The writes of the entries, each on the document after the one before. Entries that the schema refuses are left out. */
  readonly writesOf: (
    head: StateHead,
    view: DocumentView,
    entries: readonly WorkEntry[],
  ) => readonly PreparedWrite[] | undefined;
  /** Called with the head after these writes. */
  readonly written: (head: StateHead) => void;
}

/** Without its time: that is the same whenever the decision is made again. */
export type WorkEntry = Omit<StartInvocation, 'at'> | Omit<CompleteInvocation, 'at'>;

/** Longest text that is copied into the record, in characters. */
const TEXT_CHARACTERS_MAX = 4000;
const TEXTS_MAX = 50;

export function recordWork(unit: UnitOfWork, inputs: RecordingInputs): void {
  const byTree = new Map<string, WorkEntry[]>();
  for (const after of unit.changedAggregates()) {
    const { sessionId, rootSessionId } = after.session;
    const entries = entriesOf(unit.records.aggregates.get(sessionId), after);
    if (entries.length > 0) byTree.set(rootSessionId, [...(byTree.get(rootSessionId) ?? []), ...entries]);
  }
  for (const [rootSessionId, entries] of byTree) recordInTree(unit, inputs, rootSessionId, entries);
}

function recordInTree(
  unit: UnitOfWork,
  inputs: RecordingInputs,
  rootSessionId: string,
  entries: readonly WorkEntry[],
): void {
  // Ignores a damaged document: it must not block a start or a release.
  if (unit.context.documentDamage !== undefined || !unit.records.trees.has(rootSessionId)) return;
  const { stateId } = unit.tree(rootSessionId);
  if (stateId === null) return;
  unit.need({ load: 'state', stateId });
  const head = unit.records.states.get(stateId);
  // This decision creates the state. A child that starts in it is recorded when it ends.
  if (head === undefined) return;
  const isWorkflow = inputs.isWorkflow(head) ?? unit.stale();
  const view = isWorkflow ? unit.view(rootSessionId) : null;
  if (view === null) return;
  const writes = inputs.writesOf(head, view, entries) ?? unit.stale();
  if (writes.length === 0) return;
  const steps = writes.map((write) => ({ write }));
  const written = commitWrites(unit, stateId, { version: view.version, lastHash: head.lastHash }, steps);
  if (written.ok) inputs.written(written.value.head);
}

/** The entries for one child that a decision started or released. */
function entriesOf(before: SessionAggregate | undefined, after: SessionAggregate): readonly WorkEntry[] {
  const { session } = after;
  if (session.parentSessionId === null || !session.recorded) return [];
  const released = after.completions.filter(
    ({ generation, releasedAt }) =>
      releasedAt !== null &&
      before?.completions.find((one) => one.generation === generation)?.releasedAt == null,
  );
  return [
    ...(hasStarted(before, after) ? [started(after, session.generation)] : []),
    // A child that reports nothing but its end starts with it.
    ...released.flatMap((completion) => [started(after, completion.generation), ended(completion)]),
  ];
}

/** True if the work of the present generation begins. A run that only asks for the result is no work. */
function hasStarted(
  before: SessionAggregate | undefined,
  { session, completions }: SessionAggregate,
): boolean {
  if (session.status !== 'running') return false;
  const now = completions.find(({ generation }) => generation === session.generation);
  if (now?.workOutcome !== null || now.releasedAt !== null) return false;
  return before?.session.status !== 'running' || before.session.generation !== session.generation;
}

function started({ session, runs }: SessionAggregate, generation: number): WorkEntry {
  const run = runs.find((one) => one.purpose === 'work' && one.generation === generation);
  return {
    operation: 'start_invocation',
    invocation_id: invocationId(session.sessionId, generation),
    agent: session.agentName ?? session.sessionName,
    prompt: boundedText(run?.prompt ?? '', TEXT_CHARACTERS_MAX),
    context: { session_name: session.sessionName },
    artifacts: [],
    handoff_from: null,
    handoff_reason: '',
  };
}

function ended(completion: Completion): WorkEntry {
  const { sessionId, generation, resultText, resultData, workError, reason } = completion;
  const blockers = listed(resultData, 'blockers');
  return {
    operation: 'complete_invocation',
    invocation_id: invocationId(sessionId, generation),
    status: endingOf(completion, blockers),
    summary: boundedText(resultText ?? workError ?? reason ?? '', TEXT_CHARACTERS_MAX),
    artifacts: listed(resultData, 'artifacts'),
    recommendations: listed(resultData, 'recommendations'),
    blockers,
  };
}

/** A child that names what blocks it is blocked. */
function endingOf({ workOutcome }: Completion, blockers: readonly string[]): Ending {
  if (workOutcome !== 'completed') return 'failed';
  return blockers.length > 0 ? 'blocked' : 'completed';
}

/** A list of texts in the data of a result. */
function listed(data: JsonValue, member: string): readonly string[] {
  return textsMember(data, member)
    .slice(0, TEXTS_MAX)
    .map((text) => boundedText(text, TEXT_CHARACTERS_MAX));
}

/** Each generation of a session is one invocation. */
function invocationId(sessionId: string, generation: number): string {
  return generation === 1 ? sessionId : `${sessionId}.${String(generation)}`;
}
