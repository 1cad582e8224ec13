// Maps a failure to its HTTP answer: one table of statuses and the problem document (RFC 9457).
import { ERRORS, fail, type ErrorCode, type Failure } from '../../domain/errors.js';
import type { Reply } from './reply.js';

/** The failure for an error that no rule expects. The log has the error under the request's id. */
export function internalFailure() {
  return fail('internal', 'The service failed; its log has more under the request id');
}

/** The usual status of each code. Two codes have a second one, see {@link statusesOf}. */
export const STATUS: Readonly<Record<ErrorCode, number>> = {
  malformed_request: 400,
  invalid_json: 400,
  invalid_request: 422,
  unsupported_media_type: 415,
  payload_too_large: 413,
  limit_exceeded: 422,
  headers_too_large: 431,
  request_timeout: 408,
  expectation_failed: 417,
  upgrade_required: 426,
  unauthorized: 401,
  forbidden: 403,
  host_refused: 421,
  origin_refused: 403,
  route_not_found: 404,
  method_not_allowed: 405,
  method_unknown: 501,
  schema_not_found: 404,
  invalid_schema: 422,
  schema_too_complex: 422,
  incompatible_schema: 409,
  schema_in_use: 409,
  state_not_found: 404,
  state_exists: 409,
  validation_failed: 422,
  transition_refused: 422,
  patch_failed: 422,
  version_conflict: 409,
  merge_conflict: 409,
  base_unknown: 409,
  write_scope_violation: 403,
  state_required: 409,
  contract_impossible: 422,
  write_scope_impossible: 422,
  condition_impossible: 422,
  version_not_found: 404,
  version_compacted: 410,
  pointer_not_found: 404,
  key_not_found: 404,
  key_type_mismatch: 409,
  workflow_required: 409,
  workflow_entry_not_found: 404,
  workflow_entry_exists: 409,
  mode_refused: 409,
  session_not_found: 404,
  session_exists: 409,
  session_busy: 409,
  session_not_external: 409,
  tree_too_deep: 422,
  completion_settled: 409,
  run_not_found: 404,
  lease_lost: 409,
  runner_not_found: 404,
  agent_not_found: 404,
  agent_broken: 409,
  callback_not_found: 404,
  callback_not_deliverable: 409,
  webhook_not_found: 404,
  webhook_url_refused: 422,
  webhook_disabled: 409,
  delivery_not_found: 404,
  delivery_under_way: 409,
  token_exists: 409,
  token_not_found: 404,
  idempotency_in_flight: 409,
  idempotency_mismatch: 422,
  overloaded: 503,
  record_damaged: 500,
  state_tampered: 500,
  storage_full: 507,
  storage_busy: 503,
  storage_failed: 503,
  storage_lost: 503,
  database_unusable: 422,
  internal: 500,
};

/** All statuses that a code can have, the usual one first. */
export function statusesOf(code: ErrorCode): readonly number[] {
  if (code === 'limit_exceeded') return [422, 413];
  if (code === 'version_conflict') return [409, 412];
  return [STATUS[code]];
}

/**
 * The status of one failure. `limit_exceeded` is 413 if the limit is a size (`…BytesMax`). `version_conflict`
 * is 412 if it concerns the request's `If-Match` or `If-None-Match`.
 */
export function statusOf(failure: Failure, ofCondition: boolean): number {
  const { error, members } = failure;
  if (error === 'version_conflict' && ofCondition) return 412;
  if (error === 'limit_exceeded') {
    const limit = members['limit'];
    if (typeof limit === 'string' && limit.endsWith('BytesMax')) return 413;
  }
  return STATUS[error];
}

/** URL of the code's explanation, relative to the service. */
function problemType(code: ErrorCode): string {
  return `/docs#error-${code}`;
}

const EXTRA_HEADERS: Readonly<Partial<Record<ErrorCode, Readonly<Record<string, string>>>>> = {
  unauthorized: { 'www-authenticate': 'Bearer' },
  overloaded: { 'retry-after': '1' },
  // RFC 9110, section 15.5.22: the protocol to upgrade to; RFC 6455, section 4.4: its version.
  upgrade_required: { upgrade: 'websocket', connection: 'Upgrade, close', 'sec-websocket-version': '13' },
  storage_busy: { 'retry-after': '1' },
  storage_failed: { 'retry-after': '1' },
};

/** RFC 9110, section 15.5.6: a 405 says which methods there are. */
function allowHeader({ error, members }: Failure): Readonly<Record<string, string>> {
  const { allowed } = members;
  return error === 'method_not_allowed' && Array.isArray(allowed) ? { allow: allowed.join(', ') } : {};
}

/** The reply for a failure. */
export function problemReply(failure: Failure, requestId: string, ofCondition: boolean): Reply {
  const status = statusOf(failure, ofCondition);
  const standard = {
    type: problemType(failure.error),
    title: ERRORS[failure.error].title,
    status,
    detail: failure.detail,
    error: failure.error,
    retryable: ERRORS[failure.error].retryable,
  };
  // Twice: the first sets the order, the second prevents that other members override the standard ones.
  const text = JSON.stringify({ ...standard, ...failure.members, ...standard, request_id: requestId });
  return {
    status,
    text,
    headers: {
      'content-type': 'application/problem+json',
      ...EXTRA_HEADERS[failure.error],
      ...allowHeader(failure),
    },
  };
}
