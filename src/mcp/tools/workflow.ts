// The tool that adds to the workflow record of the tree's state. Its arguments are flat: `record` says which it takes.
import { Type, type Static, type TObject } from 'typebox';
import { Compile } from 'typebox/compile';
import { invalidMember, ok, type Result } from '../../domain/errors.js';
import * as api from '../../ports/api/index.js';
import type { WorkflowService } from '../../ports/workflow-service.js';
import { checkArguments } from '../arguments.js';
import { stateOf } from '../targets.js';
import { ADDS, tool, type Tool } from '../tool.js';
import * as f from './fields.js';

const Text = f.maybe(f.Text);
const Texts = f.maybe(Type.Array(f.Text));

/** The arguments of all entries. What each of them takes is in the description: it costs the fewest tokens there. */
const Input = f.args({
  record: f.Text,
  agent: Text,
  id: Text,
  value: Text,
  text: Text,
  reason: Text,
  to_agent: Text,
  confidence: f.maybe(Type.Number()),
  artifacts: Texts,
  blockers: Texts,
  conditions: Texts,
  evidence: f.maybe(f.AnyObject),
  complete: f.maybe(f.Flag),
  state_id: Text,
});

type Write = (workflow: WorkflowService, stateId: string) => Promise<Result<api.WorkflowWritten>>;

/** The write of one kind of entry; or `invalid_request` for its arguments. */
type Entry = (args: unknown) => Result<Write>;

function entry<I extends TObject>(input: I, write: (args: Static<I>) => Write): Entry {
  const validator = Compile(input);
  return (args) => {
    const checked = checkArguments(validator, args);
    return checked.ok ? ok(write(checked.value)) : checked;
  };
}

const { properties: invocation } = api.InvocationStart;
const { properties: completion } = api.InvocationComplete;
const { properties: decision } = api.DecisionAdd;
const { properties: verdict } = api.VerdictAdd;
const { properties: handoff } = api.HandoffAdd;
const { properties: proof } = api.EvidenceAdd;
const ofDecision = f.args({ id: api.EntryId, agent: api.DecisionVote.properties.agent });

/** What can be recorded, each with the arguments that it takes. */
const ENTRIES: Readonly<Record<string, Entry>> = {
  start: entry(
    f.args({
      agent: invocation.agent,
      text: invocation.prompt,
      artifacts: invocation.artifacts,
      id: invocation.invocation_id,
    }),
    ({ id, text: prompt, ...body }) =>
      (workflow, state) =>
        workflow.startInvocation(state, {
          ...body,
          prompt,
          ...(id === undefined ? {} : { invocation_id: id }),
        }),
  ),
  complete: entry(
    f.args({
      id: api.EntryId,
      value: completion.status,
      text: completion.summary,
      artifacts: completion.artifacts,
      blockers: completion.blockers,
    }),
    ({ id, value: status, text: summary, ...body }) =>
      (workflow, state) =>
        workflow.completeInvocation(state, id, { status, summary, ...body }),
  ),
  decision: entry(
    f.args({
      agent: decision.decided_by,
      value: decision.type,
      text: decision.description,
      reason: decision.rationale,
      id: decision.id,
    }),
    ({ agent: decided_by, value: type, text: description, reason: rationale, ...body }) =>
      (workflow, state) =>
        workflow.addDecision(state, { type, description, rationale, decided_by, ...body }),
  ),
  approve: entry(
    ofDecision,
    ({ id, ...body }) =>
      (workflow, state) =>
        workflow.approveDecision(state, id, body),
  ),
  reject: entry(
    ofDecision,
    ({ id, ...body }) =>
      (workflow, state) =>
        workflow.rejectDecision(state, id, body),
  ),
  verdict: entry(
    f.args({
      agent: verdict.agent,
      value: verdict.decision,
      text: verdict.reasoning,
      confidence: verdict.confidence,
      conditions: verdict.conditions,
      blockers: verdict.blockers,
    }),
    ({ value, text: reasoning, ...body }) =>
      (workflow, state) =>
        workflow.addVerdict(state, { decision: value, reasoning, ...body }),
  ),
  handoff: entry(
    f.args({
      agent: handoff.from_agent,
      to_agent: handoff.to_agent,
      reason: handoff.reason,
      text: handoff.context,
      artifacts: handoff.artifacts,
    }),
    ({ agent: from_agent, text: context, ...body }) =>
      (workflow, state) =>
        workflow.handOff(state, { from_agent, context, ...body }),
  ),
  phase: entry(
    f.args({ value: api.PhaseSet.properties.phase }),
    ({ value: phase }) =>
      (workflow, state) =>
        workflow.setPhase(state, { phase }),
  ),
  mode: entry(
    f.args({ value: api.ModeSet.properties.mode, reason: api.ModeSet.properties.reason }),
    ({ value: mode, ...body }) =>
      (workflow, state) =>
        workflow.setMode(state, { mode, ...body }),
  ),
  evidence: entry(
    f.args({ value: proof.protocol, evidence: proof.evidence, complete: proof.complete }),
    ({ value: protocol, ...body }) =>
      (workflow, state) =>
        workflow.addEvidence(state, { protocol, ...body }),
  ),
  compact: entry(f.args({}), () => (workflow, state) => workflow.compact(state, {})),
};

const workflowRecord = tool({
  name: 'workflow_record',
  description:
    'Use to note who works, what is decided, judged or handed off. record says what, with: start agent, text (prompt); complete id, value completed|failed|blocked, text (summary); decision agent, value architectural|technical|process|scope, text, reason; approve or reject id, agent; verdict agent, value approve|reject|conditional|needs_revision, confidence 0-1, text; handoff agent, to_agent, reason, text; phase value; mode value; evidence value start|end, evidence, complete; compact.',
  input: Input,
  output: f.answer({ version: f.Count, changed: f.Flag, entry_id: f.maybe(f.Text) }),
  annotations: ADDS,
  example: {
    record: 'decision',
    agent: 'architect',
    value: 'technical',
    text: 'Use a queue',
    reason: 'Order matters',
  },
  run: async ({ record, state_id, ...args }, call) => {
    const known = Object.hasOwn(ENTRIES, record) ? ENTRIES[record] : undefined;
    if (known === undefined) {
      return invalidMember('/record', 'is nothing that can be recorded', { enum: Object.keys(ENTRIES) });
    }
    const write = known(args);
    if (!write.ok) return write;
    const state = await stateOf(call, state_id);
    return state.ok ? write.value(call.service.workflow, state.value) : state;
  },
});

export const workflowTools: readonly Tool[] = [workflowRecord];
