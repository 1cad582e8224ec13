// Wire contract of committed changes: the data of stream events and of webhook messages.
import { Type } from 'typebox';
import { Nullable, Timestamp, Version } from '../common.js';
import { JsonPatch } from '../states/patches.js';
import { RunPurpose, RunStatus, RunType } from '../runs.js';
import { CallbackStatus } from '../callbacks.js';
import { DeliveryMode, SessionStatus, UpdateStatus, WorkOutcome } from '../sessions.js';
import { EventKind, chained } from '../states/states.js';

const Id = Type.String();
const NullableText = Nullable(Type.String());

/** An accepted write, in a stream. */
export const stateUpdated = {
  event_id: Id,
  state_id: Id,
  version: Version,
  kind: EventKind,
  patch: JsonPatch,
  updated_by_session: NullableText,
  run_id: NullableText,
  token_name: NullableText,
  tool_call_id: Type.Optional(Type.String()),
  late: Type.Boolean(),
  from_schema_id: Type.Optional(NullableText),
  to_schema_id: Type.Optional(Type.String()),
  timestamp: Timestamp,
  ...chained,
};

/** An accepted write, in a webhook message. */
export const stateWritten = {
  state_id: Id,
  root_session_id: Id,
  version: Version,
  kind: EventKind,
  patch: Nullable(JsonPatch),
  patch_bytes: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Size of a patch that is too long: `patch` is then null' }),
  ),
  read_more: Type.Optional(
    Type.String({ description: 'Path at which a patch can be read that is too long' }),
  ),
  updated_by_session: NullableText,
  run_id: NullableText,
  late: Type.Boolean(),
  timestamp: Timestamp,
};

export const stateDeleted = { state_id: Id, root_session_id: Id };

export const sessionUpdated = {
  session_id: Id,
  session_name: Type.String(),
  parent_session_id: NullableText,
  root_session_id: Id,
  status: SessionStatus,
  generation: Type.Integer({ minimum: 1 }),
  deleted: Type.Boolean(),
};

export const runUpdated = {
  run_id: Id,
  session_id: Id,
  session_name: Type.String(),
  root_session_id: Id,
  type: RunType,
  purpose: RunPurpose,
  status: RunStatus,
  attempt: Type.Integer({ minimum: 0 }),
  runner_id: NullableText,
  error: NullableText,
};

export const completionUpdated = {
  session_id: Id,
  root_session_id: Id,
  generation: Type.Integer({ minimum: 1 }),
  state_update_status: UpdateStatus,
  attempt: Type.Integer({ minimum: 0 }),
  max_attempts: Type.Integer({ minimum: 1 }),
  reason: NullableText,
  released: Type.Boolean(),
};

export const callbackUpdated = {
  callback_id: Id,
  parent_session_id: Id,
  child_session_id: Id,
  root_session_id: Id,
  status: CallbackStatus,
  delivery: DeliveryMode,
  run_id: NullableText,
  outcome: Nullable(WorkOutcome),
  state_update_status: Nullable(Type.Enum(['none', 'pending', 'completed', 'failed', 'skipped'])),
  workflow_state_version: Nullable(Version),
};

/** A callback, as it is sent to the callback URL of a parent. */
export const callbackMessage = {
  callback_id: Id,
  parent_session_id: Id,
  child_session_id: Id,
  child_session_name: Type.String(),
  root_session_id: Id,
  outcome: Nullable(WorkOutcome),
  metadata: Type.Object({
    callback_source: Type.String(),
    workflow_state_version: Nullable(Version),
    state_update_status: Nullable(UpdateStatus),
  }),
  message: Type.String(),
  acknowledge: Type.String({ description: 'Path at which the callback is acknowledged, by POST' }),
};
