// The closed list of failure codes. A failure is a value that each adapter translates into its protocol; a bug
// is an exception.
import type { JsonValue } from './json/json.js';

/**
 * Every error code that a caller can get. `retryable` says whether the same request can succeed later,
 * unchanged. The titles are short and generic. A test compares `docs/errors.md` with this list.
 */
export const ERRORS = {
  malformed_request: { title: 'The request is not valid HTTP', retryable: false },
  invalid_json: { title: 'The body is not JSON', retryable: false },
  invalid_request: { title: 'The request is not of the expected form', retryable: false },
  unsupported_media_type: { title: 'The content type is not accepted here', retryable: false },
  payload_too_large: { title: 'The body is larger than allowed', retryable: false },
  limit_exceeded: { title: 'A limit of the service is exceeded', retryable: false },
  headers_too_large: { title: 'The request line and the headers are larger than allowed', retryable: false },
  request_timeout: { title: 'The request was not received in time', retryable: true },
  expectation_failed: { title: 'The Expect header asks for what the service does not do', retryable: false },
  upgrade_required: { title: 'The path takes WebSockets only', retryable: false },
  unauthorized: { title: 'The caller is not authenticated', retryable: false },
  forbidden: { title: 'The caller may not do this', retryable: false },
  host_refused: { title: 'The Host header names another service', retryable: false },
  origin_refused: {
    title: 'The Origin header names a page that may not call this service',
    retryable: false,
  },
  route_not_found: { title: 'There is nothing at this path', retryable: false },
  method_not_allowed: { title: 'The path does not take this method', retryable: false },
  method_unknown: { title: 'The service does not know this method', retryable: false },
  schema_not_found: { title: 'There is no such workflow schema', retryable: false },
  invalid_schema: { title: 'The JSON Schema cannot be used', retryable: false },
  schema_too_complex: { title: 'The JSON Schema costs too much to check', retryable: false },
  incompatible_schema: { title: 'The new version breaks the promised compatibility', retryable: false },
  schema_in_use: { title: 'Workflow states use this schema version', retryable: false },
  state_not_found: { title: 'There is no such workflow state', retryable: false },
  state_exists: { title: 'The tree has a workflow state already', retryable: false },
  validation_failed: { title: 'The document does not satisfy its schema', retryable: false },
  transition_refused: { title: 'The change breaks a transition rule of the schema', retryable: false },
  patch_failed: { title: 'The patch cannot be applied', retryable: false },
  version_conflict: { title: 'The state has another version than expected', retryable: false },
  merge_conflict: { title: 'Both sides changed the same place', retryable: false },
  base_unknown: { title: 'What the write is based on is not known', retryable: false },
  write_scope_violation: { title: 'The write reaches outside its scope', retryable: false },
  state_required: { title: 'The tree has no workflow state', retryable: false },
  contract_impossible: { title: 'The contract can never be met', retryable: false },
  write_scope_impossible: { title: 'Nothing can be written within the write scope', retryable: false },
  condition_impossible: { title: 'The condition can never hold', retryable: false },
  version_not_found: { title: 'The state has not had this version', retryable: false },
  version_compacted: { title: 'The version is older than the kept history', retryable: false },
  pointer_not_found: { title: 'There is nothing at this pointer', retryable: false },
  key_not_found: { title: 'There is no such key', retryable: false },
  key_type_mismatch: { title: 'The key holds a value of another type', retryable: false },
  workflow_required: { title: 'The state holds no workflow record', retryable: false },
  workflow_entry_not_found: { title: 'The workflow record has no such entry', retryable: false },
  workflow_entry_exists: { title: 'The workflow record has another entry of this id', retryable: false },
  mode_refused: { title: 'The workflow may not change to this mode', retryable: false },
  session_not_found: { title: 'There is no such session', retryable: false },
  session_exists: { title: 'The session id or name is taken', retryable: false },
  session_busy: { title: 'The session has work under way', retryable: true },
  session_not_external: {
    title: 'The session is run another way: by a runner, or by itself',
    retryable: false,
  },
  tree_too_deep: { title: 'The tree of sessions would become too deep', retryable: false },
  completion_settled: { title: 'The completion has ended already', retryable: false },
  run_not_found: { title: 'There is no such run', retryable: false },
  lease_lost: { title: 'The run is not held with this attempt and lease', retryable: false },
  runner_not_found: { title: 'There is no such runner', retryable: false },
  agent_not_found: { title: 'There is no such agent', retryable: false },
  agent_broken: { title: 'The file of the agent cannot be used', retryable: false },
  callback_not_found: { title: 'There is no such callback', retryable: false },
  callback_not_deliverable: { title: "The callback's status does not allow this", retryable: false },
  webhook_not_found: { title: 'There is no such webhook', retryable: false },
  webhook_url_refused: { title: 'The URL may not be called', retryable: false },
  webhook_disabled: { title: 'The webhook is disabled', retryable: false },
  delivery_not_found: { title: 'There is no such delivery', retryable: false },
  delivery_under_way: { title: 'The delivery has not ended', retryable: false },
  token_exists: { title: 'The name of the token is taken', retryable: false },
  token_not_found: { title: 'There is no such token', retryable: false },
  idempotency_in_flight: { title: 'The first request with this key is still under way', retryable: true },
  idempotency_mismatch: { title: 'The key was used with another request', retryable: false },
  overloaded: { title: 'The service has too much to do', retryable: true },
  record_damaged: { title: 'A stored record is damaged', retryable: false },
  state_tampered: { title: 'The stored state is not as the service wrote it', retryable: false },
  storage_full: { title: 'The disk is full', retryable: true },
  storage_busy: { title: 'Another program holds the database', retryable: true },
  storage_failed: { title: 'The database cannot be read or written', retryable: true },
  storage_lost: { title: 'The database file is not the one that was opened', retryable: true },
  database_unusable: { title: 'The command cannot use this database', retryable: false },
  internal: { title: 'The service failed', retryable: true },
} as const satisfies Record<string, { title: string; retryable: boolean }>;

export type ErrorCode = keyof typeof ERRORS;

/** One location where a document was refused. `expected` says what is accepted, in words or as JSON. */
export interface Violation {
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
  readonly expected: JsonValue;
}

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERRORS, text);
}

/** Why a command was refused. `members` are added to the problem document next to `error` and `detail`. */
export interface Failure {
  readonly error: ErrorCode;
  readonly detail: string;
  readonly members: Readonly<Record<string, JsonValue | readonly Violation[]>>;
}

export interface Ok<T> {
  readonly ok: true;
  readonly value: T;
}

export interface Failed {
  readonly ok: false;
  readonly failure: Failure;
}

/** The result of a command: its value, or the failure. A failed command has changed nothing. */
export type Result<T> = Ok<T> | Failed;

/** The result of a successful command. */
export function ok<T>(value: T): Ok<T> {
  return { ok: true, value };
}

/** The failure of a command; nothing was written. */
export function fail(error: ErrorCode, detail: string, members: Failure['members'] = {}): Failed {
  return { ok: false, failure: { error, detail, members } };
}

/** The failure for a member that is missing, unknown or malformed. */
export function invalidMember(pointer: string, message: string, expected: JsonValue) {
  return fail('invalid_request', `${pointer === '' ? 'The body' : pointer}: ${message}`, {
    errors: [{ pointer, keyword: 'request', message, expected }],
  });
}
