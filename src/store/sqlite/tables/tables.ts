// The tables. Columns are in the order of their records. Long texts come last, so that SQLite need not
// rewrite them. No rules: a constraint here only catches a bug in the domain.
import { sql } from 'drizzle-orm';
import { index, sqliteTable, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type * as records from '../../../domain/records/records.js';
import { count, flag, json, oneOf } from './columns.js';
import { ANY_JSON, JSON_OBJECT } from '../../rows/values.js';
import { sequence, sequenceNeverReused, text, time } from './columns.js';
import * as forms from '../../rows/forms.js';
import { headColumns } from './head-view.js';

export { archives } from './archive-tables.js';
export * from './feed-tables.js';
export { stateHeads } from './head-view.js';
export { readCursors } from './read-cursor-tables.js';
export { headSignatures } from './signature-tables.js';
export { receipts, runners, settings, tokens } from './service-tables.js';
export { trees } from './tree-tables.js';
export { deliveries, destinations, webhooks } from './webhook-tables.js';

export const schemas = sqliteTable(
  'workflow_schemas',
  {
    seq: sequenceNeverReused(),
    schemaId: text('schema_id').notNull(),
    name: text('name').notNull(),
    version: count('version').notNull(),
    hash: text('hash').notNull(),
    description: text('description'),
    compatibility: oneOf('compatibility', forms.COMPATIBILITY_WORDS, null).notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    revision: count('revision').notNull(),
    ownerRootSessionId: text('owner_root_session_id'),
    jsonSchema: json('json_schema', JSON_OBJECT).$type<records.WorkflowSchema['jsonSchema']>().notNull(),
  },
  (t) => [
    uniqueIndex('workflow_schemas_id').on(t.schemaId),
    uniqueIndex('workflow_schemas_version').on(t.name, t.version),
    index('workflow_schemas_hash').on(t.name, t.hash),
    // Partial: few versions belong to a tree.
    index('workflow_schemas_owner')
      .on(t.ownerRootSessionId)
      .where(sql`owner_root_session_id is not null`),
  ],
);

/** Heads as of each state's last snapshot. `stateHeads` shows the current ones. */
export const states = sqliteTable(
  'workflow_states',
  {
    /** Also the key of the state in events and snapshots: shorter than its id. */
    seq: sequenceNeverReused(),
    ...headColumns(),
    lenient: flag('tolerates').notNull().default(false),
    revision: count('revision').notNull(),
  },
  // No index on updated_at: every write of a state would pay for it, and a scan of the heads is fast enough
  // for the filter.
  (t) => [
    uniqueIndex('workflow_states_id').on(t.stateId),
    uniqueIndex('workflow_states_root').on(t.rootSessionId),
    index('workflow_states_schema').on(t.schemaId),
  ],
);

export const events = sqliteTable(
  'state_events',
  {
    seq: sequence(),
    stateKey: count('state_key').notNull(),
    version: count('version').notNull(),
    eventId: text('event_id').notNull(),
    rootSessionId: text('root_session_id').notNull(),
    kind: oneOf('kind', forms.EVENT_KINDS, null).notNull(),
    sessionId: text('session_id'),
    runId: text('run_id'),
    tokenName: text('token_name'),
    toolCallId: text('tool_call_id'),
    late: flag('late').notNull(),
    createdAt: time('created_at').notNull(),
    fromSchemaId: text('from_schema_id'),
    toSchemaId: text('to_schema_id'),
    previousHash: text('previous_hash').notNull(),
    hash: text('hash').notNull(),
    patchText: text('patch').notNull(),
    signature: text('signature'),
  },
  (t) => [
    uniqueIndex('state_events_version').on(t.stateKey, t.version),
    // Partial: migrations are few.
    index('state_events_migration')
      .on(t.stateKey, t.version)
      .where(sql`from_schema_id is not null`),
    index('state_events_from_schema')
      .on(t.fromSchemaId)
      .where(sql`from_schema_id is not null`),
  ],
);

export const snapshots = sqliteTable(
  'state_snapshots',
  {
    seq: sequence(),
    stateKey: count('state_key').notNull(),
    version: count('version').notNull(),
    rootSessionId: text('root_session_id').notNull(),
    text: text('text').notNull(),
    eventHash: text('event_hash'),
    hash: text('hash'),
    signature: text('signature'),
  },
  (t) => [uniqueIndex('state_snapshots_version').on(t.stateKey, t.version)],
);

export const sessions = sqliteTable(
  'sessions',
  {
    seq: sequence(),
    sessionId: text('session_id').notNull(),
    sessionName: text('session_name').notNull(),
    status: oneOf('status', forms.SESSION_STATUSES, 'failed').notNull(),
    parentSessionId: text('parent_session_id'),
    parentSessionName: text('parent_session_name'),
    rootSessionId: text('root_session_id').notNull(),
    depth: count('depth').notNull(),
    external: flag('external').notNull(),
    agentName: text('agent_name'),
    projectDir: text('project_dir'),
    executorType: text('executor_type'),
    executorSessionId: text('executor_session_id'),
    hostname: text('hostname'),
    callback: flag('callback').notNull(),
    delivery: oneOf('delivery', forms.DELIVERIES, 'pull').notNull(),
    callbackUrl: text('callback_url'),
    callbackSecret: text('callback_secret'),
    generation: count('generation').notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    lastResumedAt: time('last_resumed_at'),
    deletedAt: time('deleted_at'),
    heartbeatTimeoutMs: count('heartbeat_timeout_ms'),
    heartbeatAt: time('heartbeat_at'),
    stateContext: flag('state_context').notNull().default(true),
    stateSummary: flag('state_summary').notNull().default(true),
    recorded: flag('recorded').notNull().default(true),
    revision: count('revision').notNull(),
    demands: json('demands', forms.DEMANDS).$type<records.Demands>().notNull(),
    settings: json('settings', forms.SETTINGS).$type<records.CompletionSettings>().notNull(),
  },
  (t) => [
    uniqueIndex('sessions_id').on(t.sessionId),
    uniqueIndex('sessions_name')
      .on(t.sessionName)
      .where(sql`deleted_at is null`),
    index('sessions_root').on(t.rootSessionId),
    index('sessions_parent').on(t.parentSessionId),
    index('sessions_status').on(t.status),
    index('sessions_executor_session')
      .on(t.executorSessionId)
      .where(sql`executor_session_id is not null`),
  ],
);

export const completions = sqliteTable(
  'completions',
  {
    seq: sequence(),
    sessionId: text('session_id').notNull(),
    generation: count('generation').notNull(),
    rootSessionId: text('root_session_id').notNull(),
    status: oneOf('status', forms.COMPLETION_STATUSES, 'pending').notNull(),
    workOutcome: oneOf('work_outcome', forms.WORK_OUTCOMES, null),
    workError: text('work_error'),
    workCause: oneOf('work_cause', forms.FAILURE_CAUSES, null),
    attempt: count('attempt').notNull(),
    environmentRetries: count('environment_retries').notNull(),
    wrote: flag('wrote').notNull(),
    lastWriteVersion: count('last_write_version'),
    changesTruncated: flag('changes_truncated').notNull(),
    reason: text('reason'),
    causeFingerprint: text('cause_fingerprint'),
    releasedAt: time('released_at'),
    dueAt: time('due_at'),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    revision: count('revision').notNull(),
    request: json('request', forms.REQUEST).$type<NonNullable<records.Completion['request']>>(),
    attempts: json('attempts', forms.ATTEMPTS).$type<records.Completion['attempts']>().notNull(),
    changes: json('changes', forms.CHANGES).$type<records.Completion['changes']>().notNull(),
    lastErrors: json('last_errors', forms.VIOLATIONS).$type<records.Completion['lastErrors']>().notNull(),
    settings: json('settings', forms.SETTINGS).$type<records.CompletionSettings>().notNull(),
    resultData: json('result_data', ANY_JSON).$type<records.Completion['resultData']>(),
    broken: json('broken', forms.BROKEN).$type<NonNullable<records.Completion['broken']>>(),
    resultText: text('result_text'),
  },
  (t) => [
    uniqueIndex('completions_generation').on(t.sessionId, t.generation),
    index('completions_status').on(t.status),
    index('completions_open')
      .on(t.rootSessionId)
      .where(sql`released_at is null`),
    index('completions_due')
      .on(t.dueAt)
      .where(sql`due_at is not null`),
  ],
);

export const runs = sqliteTable(
  'runs',
  {
    seq: sequence(),
    runId: text('run_id').notNull(),
    type: oneOf('type', forms.RUN_TYPES, 'resume_session').notNull(),
    purpose: oneOf('purpose', forms.RUN_PURPOSES, 'work').notNull(),
    sessionId: text('session_id').notNull(),
    sessionName: text('session_name').notNull(),
    rootSessionId: text('root_session_id').notNull(),
    generation: count('generation').notNull(),
    status: oneOf('status', forms.RUN_STATUSES, 'pending').notNull(),
    attempt: count('attempt').notNull(),
    leaseHash: text('lease_hash'),
    leaseExpiresAt: time('lease_expires_at'),
    runnerId: text('runner_id'),
    demands: json('demands', forms.DEMANDS).$type<records.Demands>().notNull(),
    timeoutMs: count('timeout_ms'),
    availableAt: time('available_at').notNull(),
    error: text('error'),
    cause: oneOf('cause', forms.FAILURE_CAUSES, null),
    stopReason: oneOf('stop_reason', forms.STOP_REASONS, null),
    createdAt: time('created_at').notNull(),
    claimedAt: time('claimed_at'),
    startedAt: time('started_at'),
    completedAt: time('completed_at'),
    dueAt: time('due_at'),
    revision: count('revision').notNull(),
    usage: json('usage', ANY_JSON).$type<records.Run['usage']>(),
    metadata: json('metadata', JSON_OBJECT).$type<records.Run['metadata']>().notNull(),
    prompt: text('prompt').notNull(),
  },
  (t) => [
    uniqueIndex('runs_id').on(t.runId),
    index('runs_session').on(t.sessionId),
    index('runs_session_unfinished')
      .on(t.sessionId)
      .where(sql`status in ('pending', 'claimed', 'running', 'stopping')`),
    index('runs_runner_unfinished')
      .on(t.runnerId)
      .where(sql`status in ('pending', 'claimed', 'running', 'stopping')`),
    index('runs_root').on(t.rootSessionId),
    index('runs_status').on(t.status),
    index('runs_pending')
      .on(t.availableAt)
      .where(sql`status = 'pending'`),
    index('runs_due')
      .on(t.dueAt)
      .where(sql`due_at is not null`),
  ],
);

export const callbacks = sqliteTable(
  'callbacks',
  {
    seq: sequence(),
    callbackId: text('callback_id').notNull(),
    rootSessionId: text('root_session_id').notNull(),
    parentSessionId: text('parent_session_id').notNull(),
    parentGeneration: count('parent_generation').notNull(),
    childSessionId: text('child_session_id').notNull(),
    childSessionName: text('child_session_name').notNull(),
    childGeneration: count('child_generation').notNull(),
    status: oneOf('status', forms.CALLBACK_STATUSES, 'queued').notNull(),
    delivery: oneOf('delivery', forms.DELIVERIES, 'pull').notNull(),
    runId: text('run_id'),
    deliveryId: text('delivery_id'),
    outcome: oneOf('outcome', forms.WORK_OUTCOMES, null),
    updateStatus: oneOf('update_status', forms.COMPLETION_STATUSES, null),
    stateVersion: count('state_version'),
    reason: text('reason'),
    createdAt: time('created_at').notNull(),
    queuedAt: time('queued_at'),
    deliveredAt: time('delivered_at'),
    acknowledgedAt: time('acknowledged_at'),
    revision: count('revision').notNull(),
    message: text('message'),
  },
  (t) => [
    uniqueIndex('callbacks_id').on(t.callbackId),
    uniqueIndex('callbacks_child').on(t.childSessionId, t.childGeneration),
    index('callbacks_parent').on(t.parentSessionId, t.status),
    index('callbacks_root').on(t.rootSessionId),
    index('callbacks_status').on(t.status),
    index('callbacks_run')
      .on(t.runId)
      .where(sql`run_id is not null`),
  ],
);
