// Wire contract of workflow records: the entries of an orchestrator's record in a state on a workflow schema.
import { Type, type Static } from 'typebox';
import { closed, JsonRecord, Nullable, Timestamp, Version, Warnings } from './common.js';

const maybe = Type.Optional;
const Text = Type.String();
const Texts = Type.Array(Text);
const Agent = Type.String({ minLength: 1, maxLength: 128, description: 'Name of an agent' });

/** Id of an invocation or a decision. */
export const EntryId = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$',
  description: 'Up to 128 letters, digits and . _ : @ -; generated where it is left out',
});

export const InvocationStart = Type.Object(
  {
    agent: Agent,
    invocation_id: maybe(EntryId),
    prompt: Type.String({ description: 'What the agent was asked' }),
    context: maybe(JsonRecord),
    artifacts: maybe(Texts),
    handoff_from: maybe(Agent),
    handoff_reason: maybe(Text),
  },
  closed,
);
export type InvocationStart = Static<typeof InvocationStart>;

export const InvocationComplete = Type.Object(
  {
    status: Type.Enum(['completed', 'failed', 'blocked']),
    summary: Text,
    artifacts: maybe(Texts),
    recommendations: maybe(Texts),
    blockers: maybe(Texts),
  },
  closed,
);
export type InvocationComplete = Static<typeof InvocationComplete>;

export const DecisionAdd = Type.Object(
  {
    id: maybe(EntryId),
    type: Type.Enum(['architectural', 'technical', 'process', 'scope']),
    description: Text,
    rationale: Text,
    decided_by: Agent,
  },
  closed,
);
export type DecisionAdd = Static<typeof DecisionAdd>;

export const DecisionVote = Type.Object({ agent: Agent }, closed);
export type DecisionVote = Static<typeof DecisionVote>;

export const VerdictAdd = Type.Object(
  {
    agent: Agent,
    decision: Type.Enum(['approve', 'reject', 'conditional', 'needs_revision']),
    confidence: Type.Number({ minimum: 0, maximum: 1 }),
    reasoning: Text,
    conditions: maybe(Texts),
    blockers: maybe(Texts),
  },
  closed,
);
export type VerdictAdd = Static<typeof VerdictAdd>;

export const HandoffAdd = Type.Object(
  {
    from_agent: Agent,
    to_agent: Agent,
    reason: Text,
    context: Text,
    artifacts: maybe(Texts),
    preserved_context: maybe(JsonRecord),
  },
  closed,
);
export type HandoffAdd = Static<typeof HandoffAdd>;

export const PhaseSet = Type.Object(
  { phase: Type.Enum(['planning', 'implementation', 'validation', 'complete']) },
  closed,
);
export type PhaseSet = Static<typeof PhaseSet>;

export const ModeSet = Type.Object(
  { mode: Type.String({ minLength: 1, maxLength: 128 }), reason: maybe(Text) },
  closed,
);
export type ModeSet = Static<typeof ModeSet>;

export const EvidenceAdd = Type.Object(
  {
    protocol: Type.Enum(['start', 'end']),
    evidence: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'What shows that a step was done, by the name of the step',
    }),
    complete: maybe(Type.Boolean({ description: 'True where the protocol is done with it' })),
  },
  closed,
);
export type EvidenceAdd = Static<typeof EvidenceAdd>;

export const CompactRecord = Type.Object(
  {
    keep: maybe(
      Type.Integer({
        minimum: 0,
        maximum: 1000,
        description: 'How many ended invocations stay, the newest; by default 3',
      }),
    ),
  },
  closed,
);
export type CompactRecord = Static<typeof CompactRecord>;

export const WorkflowWritten = Type.Object({
  state_id: Text,
  version: Version,
  changed: Type.Boolean({ description: 'False where the record says it already' }),
  entry_id: maybe(Type.String({ description: 'Id of the invocation, decision or archive' })),
  warnings: maybe(Warnings),
});
export type WorkflowWritten = Static<typeof WorkflowWritten>;

export const VerdictSummary = Type.Object({
  clear: Type.Boolean({
    description: 'True where there is a verdict, and the newest one of each agent approves',
  }),
  approved_by: Type.Array(Text),
  blocked_by: Type.Array(
    Type.Object({
      agent: Text,
      decision: Text,
      reasoning: Text,
      conditions: Texts,
      blockers: Texts,
    }),
  ),
});
export type VerdictSummary = Static<typeof VerdictSummary>;

/** An archive as the record names it. */
export const ArchiveEntry = Type.Object({
  archive_id: Text,
  compacted_at: Timestamp,
  count: Type.Integer({ minimum: 0, description: 'Invocations in it' }),
});
export type ArchiveEntry = Static<typeof ArchiveEntry>;

export const WorkflowArchive = Type.Object({
  ...ArchiveEntry.properties,
  state_id: Text,
  kept_until: Type.String({ format: 'date-time', description: 'When the archive is removed' }),
  invocations: Type.Array(JsonRecord, { description: 'As they stood in the record, oldest first' }),
});
export type WorkflowArchive = Static<typeof WorkflowArchive>;

/** What an orchestrator has to know to go on. */
export const WorkflowView = Type.Object({
  state_id: Text,
  version: Version,
  updated_at: Timestamp,
  mode: Text,
  next_modes: Nullable(
    Type.Array(Text, {
      description: 'The modes that may follow; null where any may, none while modes.json cannot be used',
    }),
  ),
  phase: Text,
  active_agent: Nullable(Text),
  active_feature: Nullable(Text),
  active_task: Nullable(Text),
  protocol_start_complete: Type.Boolean(),
  protocol_end_complete: Type.Boolean(),
  invocations: Type.Object({
    in_progress: Type.Array(JsonRecord),
    last_ended: Type.Array(JsonRecord, { description: 'The three that ended last' }),
    archived: Type.Integer({ minimum: 0, description: 'How many are in archives' }),
    archives: Type.Array(ArchiveEntry, { description: 'The newest ten' }),
  }),
  pending_handoffs: Type.Array(JsonRecord),
  open_decisions: Type.Array(JsonRecord, { description: 'Without an approval, or rejected by an agent' }),
  verdicts: VerdictSummary,
});
export type WorkflowView = Static<typeof WorkflowView>;
