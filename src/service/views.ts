// Views of records, in the form of the API.
import type { Violation } from '../domain/errors.js';
import type { JsonObject } from '../domain/json/json.js';
import type {
  Callback,
  Completion,
  CompletionStatus,
  Run,
  Runner,
  Session,
  StateEvent,
  StateHead,
  Tree,
  WorkflowSchema,
} from '../domain/records/records.js';
import { lastHeartbeatAt } from '../domain/sessions/presence.js';
import type * as api from '../ports/api/index.js';
import { patchOf } from './documents/patch-of.js';

export function time(ms: number): string {
  return new Date(ms).toISOString();
}

export function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : time(ms);
}

function updateStatus(status: CompletionStatus | null): api.SessionView['state_update_status'] {
  return status === 'none' ? null : status;
}

export function schemaView(schema: WorkflowSchema): api.SchemaView {
  return {
    schema_id: schema.schemaId,
    name: schema.name,
    version: schema.version,
    json_schema: schema.jsonSchema,
    description: schema.description,
    compatibility: schema.compatibility,
    created_at: time(schema.createdAt),
    updated_at: time(schema.updatedAt),
  };
}

/** @param timeText - Returns the text of a time. */
export function stateEnvelope(
  head: StateHead,
  schema: WorkflowSchema,
  rootSessionName: string,
  document: JsonObject,
  timeText = time,
): api.StateEnvelope {
  return Object.assign(stateSummary(head, schema, rootSessionName, timeText), { current_data: document });
}

export function stateSummary(
  head: StateHead,
  schema: WorkflowSchema,
  rootSessionName: string,
  timeText = time,
) {
  return {
    state_id: head.stateId,
    schema_id: head.schemaId,
    schema_name: schema.name,
    schema_version: schema.version,
    root_session_id: head.rootSessionId,
    root_session_name: rootSessionName,
    version: head.version,
    created_at: timeText(head.createdAt),
    updated_at: timeText(head.updatedAt),
    updated_by: head.updatedBy,
  };
}

/** The warnings of a write as a member of its answer; no member if there are none. */
export function warningsView(warnings: readonly Violation[]): Pick<api.StateWritten, 'warnings'> {
  return warnings.length === 0 ? {} : { warnings: [...warnings] };
}

export function eventView(event: StateEvent): api.EventView {
  return {
    event_id: event.eventId,
    version: event.version,
    kind: event.kind,
    patch: [...patchOf(event)],
    session_id: event.sessionId,
    run_id: event.runId,
    token_name: event.tokenName,
    ...(event.toolCallId === null ? {} : { tool_call_id: event.toolCallId }),
    late: event.late,
    ...(event.toSchemaId === null
      ? {}
      : { from_schema_id: event.fromSchemaId, to_schema_id: event.toSchemaId }),
    created_at: time(event.createdAt),
    previous_hash: event.previousHash,
    hash: event.hash,
    signature: event.signature,
  };
}

export function sessionView(
  session: Session,
  tree: Pick<Tree, 'stateId'> | null,
  completion: Pick<Completion, 'status'> | null,
): api.SessionView {
  const heartbeatAt = lastHeartbeatAt(session);
  return {
    session_id: session.sessionId,
    session_name: session.sessionName,
    status: session.status,
    parent_session_id: session.parentSessionId,
    parent_session_name: session.parentSessionName,
    root_session_id: session.rootSessionId,
    workflow_state_id: tree?.stateId ?? null,
    state_update_status: updateStatus(completion?.status ?? null),
    agent_name: session.agentName,
    project_dir: session.projectDir,
    executor_type: session.executorType,
    executor_session_id: session.executorSessionId,
    hostname: session.hostname,
    callback: session.callback,
    delivery: session.delivery,
    ...(session.callbackUrl === null ? {} : { callback_url: session.callbackUrl }),
    external: session.external,
    ...(session.stateContext ? {} : { state_context: false }),
    ...(session.stateSummary ? {} : { state_summary: false }),
    ...(session.recorded ? {} : { record: false }),
    ...(session.heartbeatTimeoutMs === null ? {} : { heartbeat_timeout_ms: session.heartbeatTimeoutMs }),
    ...(heartbeatAt === null ? {} : { last_heartbeat_at: time(heartbeatAt) }),
    generation: session.generation,
    depth: session.depth,
    created_at: time(session.createdAt),
    updated_at: time(session.updatedAt),
    last_resumed_at: timeOrNull(session.lastResumedAt),
  };
}

export function completionView(completion: Completion): api.CompletionView {
  const { settings } = completion;
  return {
    session_id: completion.sessionId,
    generation: completion.generation,
    state_update_status: updateStatus(completion.status),
    attempt: completion.attempt,
    max_attempts: settings.attemptsMax,
    contract:
      settings.contract === null
        ? null
        : { pointer: settings.contract.pointer, schema: settings.contract.schema },
    write_scope: settings.writeScope === null ? null : [...settings.writeScope],
    await_state: settings.awaitState === true,
    mode: settings.mode,
    attempts: completion.attempts.map((one) => ({
      attempt: one.attempt,
      run_id: one.runId,
      prompt_level: one.promptLevel,
      outcome: one.outcome,
      errors: [...one.errors],
      started_at: time(one.startedAt),
      ended_at: timeOrNull(one.endedAt),
    })),
    contract_broken:
      completion.broken === null ? null : { ...completion.broken, errors: [...completion.broken.errors] },
    reason: completion.reason,
    due_at: timeOrNull(completion.dueAt),
    released_at: timeOrNull(completion.releasedAt),
    ...(completion.request === null ? {} : { request: completion.request }),
  };
}

export function callbackView(callback: Callback): api.CallbackView {
  return {
    callback_id: callback.callbackId,
    parent_session_id: callback.parentSessionId,
    child_session_id: callback.childSessionId,
    status: callback.status,
    delivery: callback.delivery,
    run_id: callback.runId,
    outcome: callback.outcome,
    message: callback.message,
    reason: callback.reason,
    metadata: {
      callback_source: callback.childSessionName,
      workflow_state_version: callback.stateVersion,
      state_update_status: updateStatus(callback.updateStatus),
    },
    created_at: time(callback.createdAt),
    delivered_at: timeOrNull(callback.deliveredAt),
  };
}

export function runView(run: Run): api.RunView {
  return {
    run_id: run.runId,
    type: run.type,
    purpose: run.purpose,
    session_id: run.sessionId,
    session_name: run.sessionName,
    prompt: run.prompt,
    status: run.status,
    attempt: run.attempt,
    runner_id: run.runnerId,
    metadata: run.metadata,
    error: run.error,
    ...(run.cause === null ? {} : { cause: run.cause }),
    ...(run.usage === null ? {} : { usage: run.usage }),
    created_at: time(run.createdAt),
    claimed_at: timeOrNull(run.claimedAt),
    started_at: timeOrNull(run.startedAt),
    completed_at: timeOrNull(run.completedAt),
  };
}

/** @param shown - Whether to show the runner's host and folder. Sessions do not see them. */
export function runnerView(runner: Runner, activeRuns: number, shown: boolean): api.RunnerView {
  return {
    runner_id: runner.runnerId,
    hostname: shown ? runner.hostname : null,
    project_dir: shown ? runner.projectDir : null,
    executor_types: [...runner.executorTypes],
    tags: [...runner.tags],
    max_concurrent: runner.concurrentMax,
    active_runs: activeRuns,
    last_seen_at: time(runner.lastSeenAt),
    created_at: time(runner.createdAt),
  };
}
