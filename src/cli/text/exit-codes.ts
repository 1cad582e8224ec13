// Exit codes: the one table from error code to exit code.
import type { ErrorCode } from '../../domain/errors.js';

/** Exit codes by meaning; scripts rely on these numbers. */
export const EXIT = {
  ok: 0,
  refused: 1,
  usage: 2,
  unreachable: 3,
  notFound: 4,
  conflict: 5,
  documentRefused: 6,
  notAllowed: 7,
  timedOut: 8,
  cannotMatch: 9,
  bug: 70,
} as const;

type ExitName = keyof typeof EXIT;

/** The text of `countersign --help` for each. */
const EXIT_TEXTS: Readonly<Record<ExitName, string>> = {
  ok: 'done',
  refused: 'refused by the service, or a check found problems (doctor, session start --wait)',
  usage: 'wrong command, flag or argument',
  unreachable: 'the service cannot be reached',
  notFound: 'there is no such thing',
  conflict: 'in conflict with what is there, such as another version than expected',
  documentRefused: 'the document was refused: schema, transition, patch, write scope or size',
  notAllowed: 'the caller may not do this',
  timedOut: 'timed out (state wait, ready)',
  cannotMatch: 'the condition can no longer be met (state wait --fail-on)',
  bug: 'a bug, here or in the service',
};

const BY_ERROR: Readonly<Record<ErrorCode, ExitName>> = {
  malformed_request: 'refused',
  invalid_json: 'documentRefused',
  invalid_request: 'usage',
  unsupported_media_type: 'refused',
  payload_too_large: 'documentRefused',
  limit_exceeded: 'documentRefused',
  headers_too_large: 'refused',
  request_timeout: 'refused',
  expectation_failed: 'refused',
  upgrade_required: 'refused',
  unauthorized: 'notAllowed',
  forbidden: 'notAllowed',
  host_refused: 'notAllowed',
  origin_refused: 'notAllowed',
  route_not_found: 'refused',
  method_not_allowed: 'refused',
  method_unknown: 'refused',
  schema_not_found: 'notFound',
  invalid_schema: 'documentRefused',
  schema_too_complex: 'documentRefused',
  incompatible_schema: 'conflict',
  schema_in_use: 'conflict',
  state_not_found: 'notFound',
  state_exists: 'conflict',
  validation_failed: 'documentRefused',
  transition_refused: 'documentRefused',
  patch_failed: 'documentRefused',
  version_conflict: 'conflict',
  merge_conflict: 'conflict',
  base_unknown: 'conflict',
  write_scope_violation: 'documentRefused',
  state_required: 'conflict',
  contract_impossible: 'documentRefused',
  write_scope_impossible: 'documentRefused',
  condition_impossible: 'documentRefused',
  version_not_found: 'notFound',
  version_compacted: 'notFound',
  pointer_not_found: 'notFound',
  key_not_found: 'notFound',
  key_type_mismatch: 'conflict',
  workflow_required: 'conflict',
  workflow_entry_not_found: 'notFound',
  workflow_entry_exists: 'conflict',
  mode_refused: 'conflict',
  session_not_found: 'notFound',
  session_exists: 'conflict',
  session_busy: 'conflict',
  session_not_external: 'conflict',
  tree_too_deep: 'refused',
  completion_settled: 'conflict',
  run_not_found: 'notFound',
  lease_lost: 'conflict',
  runner_not_found: 'notFound',
  agent_not_found: 'notFound',
  agent_broken: 'conflict',
  callback_not_found: 'notFound',
  callback_not_deliverable: 'conflict',
  webhook_not_found: 'notFound',
  webhook_url_refused: 'refused',
  webhook_disabled: 'conflict',
  delivery_not_found: 'notFound',
  delivery_under_way: 'conflict',
  token_exists: 'conflict',
  token_not_found: 'notFound',
  idempotency_in_flight: 'conflict',
  idempotency_mismatch: 'conflict',
  overloaded: 'refused',
  record_damaged: 'refused',
  state_tampered: 'refused',
  storage_full: 'refused',
  storage_busy: 'refused',
  storage_failed: 'refused',
  storage_lost: 'refused',
  database_unusable: 'usage',
  internal: 'bug',
};

export function exitCodeOf(error: ErrorCode): number {
  return EXIT[BY_ERROR[error]];
}

/** The table for `--help`. */
export function exitCodeHelp(): string {
  const codes: Readonly<Record<string, number>> = EXIT;
  return Object.entries(EXIT_TEXTS)
    .map(([name, text]) => `  ${String(codes[name]).padStart(2)}  ${text}`)
    .join('\n');
}
