// What the agent should call next after each failure: the one table from error code to advice.
import type { ErrorCode } from '../../domain/errors.js';

const READ_AGAIN = 'call state_read, redo your change on what it says, and call';
const SEND_LESS = 'send less: state_patch with only the places that change, or a shorter text';
const OPERATOR = 'tell whoever runs the service; none of your tools can fix it';

/**
 * Printed after `Next: `. `{tool}` is replaced by the name of the failed tool. Codes that no tool returns have no
 * entry.
 */
export const ADVICE: Readonly<Partial<Record<ErrorCode, string>>> = {
  invalid_request: 'correct this argument and call {tool} again',
  limit_exceeded: SEND_LESS,
  payload_too_large: SEND_LESS,
  unauthorized:
    'set COUNTERSIGN_TOKEN (stdio) or the header "Authorization: Bearer …" (HTTP) to a valid token',
  forbidden: 'leave this to the session or operator that may do it, and work within your own tree',
  schema_not_found:
    'call state_create with json_schema to register it, or with a schema_name that is registered',
  invalid_schema: 'correct the JSON Schema and call {tool} again',
  schema_too_complex: 'simplify the JSON Schema (fewer anyOf, oneOf and $ref) and call {tool} again',
  incompatible_schema: 'use a new schema_name, or a schema that accepts what the registered one does',
  state_not_found:
    'as the root, call state_create first; else leave state_id out to mean the state of your tree',
  state_exists: 'the tree has its state already: call state_read, then state_patch',
  validation_failed: 'correct these places and call {tool} again; state_schema shows all the rules',
  transition_refused: 'call state_read and change only what the rule lets change, then call {tool} again',
  patch_failed: `${READ_AGAIN} {tool} again; "add" makes a member, and its parent must be there`,
  version_conflict: `${READ_AGAIN} {tool} again with the new version`,
  merge_conflict: `${READ_AGAIN} state_patch with only the places that you decide`,
  base_unknown:
    'call state_read first (with full: true if it shows an outline), then {tool} again; or send only what changes with state_patch',
  write_scope_violation: 'call state_patch with operations at or under the allowed pointers only',
  state_required: 'call state_create as the root first, or start the child with await_state: true',
  contract_impossible:
    'name a place and values that the workflow schema (state_schema) and the write scope allow',
  write_scope_impossible: 'name places that the workflow schema (state_schema) has',
  condition_impossible: 'name a place and values that the workflow schema (state_schema) has',
  version_not_found: 'leave the version out to mean the present one',
  version_compacted:
    'call state_read or state_get and write again; or leave the version out to mean the present one',
  pointer_not_found: 'call {tool} without pointer, or with a shorter one, to see what is there',
  key_not_found: 'call state_get without key to list the keys, or state_set to make it',
  key_type_mismatch: 'call state_get to see what the key holds; state_set replaces it',
  workflow_required: 'record results with state_patch: this state keeps no workflow record',
  workflow_entry_not_found: 'call state_read with pointer /orchestrator_workflow and use an id from there',
  workflow_entry_exists: 'leave id out, or choose another one',
  mode_refused: 'set one of the next modes that the answer lists, with workflow_record (record mode)',
  session_not_found:
    'call list_agent_sessions and use one of its ids or names; if it is your own that is unknown, AGENT_SESSION_NAME (stdio) or the header X-Agent-Session-Name (HTTP) is wrong',
  agent_not_found: 'call list_agent_blueprints and use one of its names, or leave agent_name out',
  agent_broken: `call list_agent_blueprints and use another one, or ${OPERATOR}`,
  session_exists: 'choose another session_name, or call resume_agent_session',
  session_busy: 'call get_agent_session_status, and {tool} again when its run has ended',
  session_not_external: 'start a new session with start_agent_session',
  tree_too_deep: 'do this work yourself: children cannot be nested any deeper',
  idempotency_in_flight: 'wait a moment and call {tool} again: the same call is still under way',
  overloaded: 'wait a few seconds and call {tool} again',
  record_damaged: OPERATOR,
  state_tampered: OPERATOR,
  storage_full: OPERATOR,
  storage_busy: 'wait a few seconds and call {tool} again',
  storage_failed: OPERATOR,
  storage_lost: OPERATOR,
  internal: `call {tool} once more; if it fails again, ${OPERATOR}`,
};

export const NO_ADVICE = OPERATOR;

/** Advice where the service gave no answer. */
export const UNREACHABLE = `wait a few seconds and call {tool} again; if it fails again, ${OPERATOR}`;

/** Advice for `limit_exceeded`, by limit, if sending less does not help. */
export const LIMIT_ADVICE: Readonly<Record<string, string>> = {
  stateBytesMax:
    'write less: the state holds what is small; put large texts into files, and their paths here',
  sessionsPerTreeMax: 'give the work to a session that is there (resume_agent_session), or do it yourself',
  schemasPerTreeMax: 'use a schema_name that is registered',
};

/** For `callback: true` from a caller without a session, which cannot be called back. */
export const NO_CALLER =
  'call it as your session: set COUNTERSIGN_TOKEN or AGENT_SESSION_NAME in the environment of `countersign mcp`, or send "Authorization: Bearer …" or "X-Agent-Session-Name: …" over HTTP; or leave callback out and ask get_agent_session_status';

/** For a callback that would go to another session than the caller's. */
export const NO_CALLBACK = 'leave callback out and ask get_agent_session_status until it is done';
