// Wire contract of problem documents: the members of each error code, in addition to the common ones.
import { Type, type TProperties } from 'typebox';
import type { ErrorCode } from '../../domain/errors.js';
import { Json, Nullable, Version, Violation } from './common.js';
import { SchemaDifference, Compatibility } from './schemas.js';
import { CallbackStatus } from './callbacks.js';
import { UpdateStatus } from './sessions.js';
import { DeliveryStatus } from './webhooks.js';

const Text = Type.String();
const Texts = Type.Array(Text);
const Count = Type.Integer({ minimum: 0 });
const maybe = Type.Optional;
const errors = Type.Array(Violation, { description: 'The places at fault' });

/** A limit, its maximum, and the actual value. */
const bound = {
  limit: Type.String({ description: 'Name of the bound, as in docs/operating.md' }),
  maximum: Type.Number(),
  actual: maybe(Type.Number()),
};
const inPatch = {
  operation_index: maybe(Type.Integer({ minimum: 0, description: 'Which operation, the first is 0' })),
  pointer: maybe(Type.String({ description: 'The place in the operations or in the document' })),
};
/**
 * A contract or write scope that the schema makes impossible. `session` names its session if it is not the
 * request's own.
 */
const impossible = {
  pointer: maybe(Text),
  session: maybe(Text),
  place: Text,
  allowed: maybe(Texts),
  closed_at: maybe(Text),
  members: maybe(Texts),
};

/**
 * Members by code. A code that is not listed has no members of its own. Members that are not optional are
 * always present. Members may be added; callers must ignore unknown ones.
 */
export const PROBLEM_MEMBERS: Readonly<Partial<Record<ErrorCode, TProperties>>> = {
  invalid_json: { position: maybe(Count), line: maybe(Count), column: maybe(Count), errors: maybe(errors) },
  invalid_request: { errors: maybe(errors) },
  unsupported_media_type: { accepted: Texts },
  payload_too_large: bound,
  limit_exceeded: { ...bound, ...inPatch },
  forbidden: {
    root_session_id: maybe(Text),
    your_root_session_id: maybe(Text),
    your_session_id: maybe(Text),
    right: maybe(Text),
    allowed: maybe(Texts),
    pointer: maybe(Text),
  },
  host_refused: { host: maybe(Text) },
  origin_refused: { origin: maybe(Text), site: maybe(Text), expected: maybe(Texts) },
  route_not_found: { path: maybe(Text) },
  method_not_allowed: { allowed: Texts },
  state_tampered: { state_id: maybe(Text), version: maybe(Nullable(Version)) },
  record_damaged: { record: maybe(Text), record_id: maybe(Text), column: maybe(Nullable(Text)) },
  schema_not_found: { schema_name: maybe(Text), schema_version: maybe(Nullable(Version)) },
  invalid_schema: { errors: maybe(errors) },
  schema_too_complex: {
    reason: maybe(Text),
    limit: maybe(Text),
    maximum: maybe(Type.Number()),
    actual: maybe(Type.Number()),
  },
  incompatible_schema: {
    compatibility: Compatibility,
    verdict: Type.Enum(['incompatible', 'unknown']),
    differences: Type.Array(SchemaDifference),
  },
  schema_in_use: { states: maybe(Count) },
  state_not_found: { state_id: maybe(Text) },
  state_exists: { state_id: Text },
  validation_failed: { errors },
  transition_refused: { errors },
  patch_failed: {
    ...inPatch,
    reason: Text,
    op: maybe(Text),
    path: maybe(Text),
    expected: maybe(Json),
  },
  version_conflict: {
    current_version: maybe(
      Nullable(
        Type.Integer({ minimum: 0, description: 'Of the state, or of the key where it is about one' }),
      ),
    ),
    your_version: maybe(Nullable(Type.Integer({ minimum: 0 }))),
    current_data: maybe(Json),
    key: maybe(Text),
    current_value: maybe(Json),
    global_version: maybe(Version),
    applied: maybe(Type.Boolean()),
    results: maybe(
      Type.Array(
        Type.Object({
          key: Text,
          status: Type.Enum(['ok', 'not_found', 'conflict']),
          current_version: Nullable(Type.Integer({ minimum: 0 })),
          your_version: maybe(Type.Integer({ minimum: 0 })),
        }),
        { description: 'Of a batch: one for each operation' },
      ),
    ),
  },
  merge_conflict: {
    conflicts: Type.Array(
      Type.Object({ pointer: Text, base: maybe(Json), theirs: maybe(Json), yours: maybe(Json) }),
    ),
    conflicts_total: Count,
    base_version: Version,
    current_version: Version,
  },
  base_unknown: { current_version: maybe(Version), parts: maybe(Texts) },
  write_scope_violation: { pointer: maybe(Text), allowed: maybe(Texts) },
  version_not_found: {
    version: maybe(Count),
    current_version: maybe(Version),
    current_position: maybe(Text),
  },
  version_compacted: {
    version: maybe(Count),
    oldest_version: maybe(Version),
    oldest_position: maybe(Text),
  },
  pointer_not_found: { pointer: Text, version: maybe(Version) },
  key_not_found: { key: maybe(Text) },
  key_type_mismatch: { ...inPatch, expected: maybe(Text), actual: maybe(Text) },
  state_required: { pointer: Text },
  workflow_required: { schema_name: Text },
  workflow_entry_not_found: { id: Text },
  workflow_entry_exists: { id: Text },
  mode_refused: { mode: Text, next_modes: maybe(Texts), pointer: maybe(Text) },
  contract_impossible: impossible,
  write_scope_impossible: impossible,
  condition_impossible: { pointer: Text, closed_at: Text, members: maybe(Texts) },
  session_not_found: { session: maybe(Text) },
  session_exists: { session: maybe(Text) },
  session_busy: { session_id: maybe(Text), runs: maybe(Texts) },
  tree_too_deep: bound,
  completion_settled: { state_update_status: maybe(Nullable(UpdateStatus)) },
  lease_lost: {
    run_id: maybe(Text),
    run_status: maybe(Text),
    current_attempt: maybe(Type.Integer()),
    your_attempt: maybe(Type.Integer()),
  },
  agent_not_found: { agent: maybe(Text), known: maybe(Texts) },
  agent_broken: { agent: maybe(Text), errors: maybe(errors) },
  callback_not_deliverable: { callback_status: maybe(CallbackStatus) },
  webhook_not_found: { webhook_id: maybe(Text) },
  webhook_url_refused: { errors: maybe(errors) },
  webhook_disabled: { webhook_id: maybe(Text) },
  delivery_not_found: { webhook_id: maybe(Text), delivery_id: maybe(Text) },
  delivery_under_way: { delivery_status: maybe(DeliveryStatus) },
  overloaded: { limit: maybe(Text), maximum: maybe(Type.Number()) },
};
