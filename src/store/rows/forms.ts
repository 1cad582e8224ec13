// Required forms of stored values: the shapes of JSON columns and the values of status columns. Types only,
// no rules.
import {
  isCount,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/json/json.js';
import type * as records from '../../domain/records/records.js';
import type { DomainEventKind } from '../../domain/records/domain-event.js';
import { isTime, LAST_MS, type JsonForm } from './values.js';

type Words<T extends string> = Readonly<Record<T, true>>;

export const SESSION_STATUSES: Words<records.SessionStatus> = {
  pending: true,
  running: true,
  finished: true,
  failed: true,
  stopped: true,
};
export const DELIVERIES: Words<records.Delivery> = { resume: true, pull: true, webhook: true };
export const COMPLETION_STATUSES: Words<records.CompletionStatus> = {
  none: true,
  pending: true,
  completed: true,
  failed: true,
  skipped: true,
};
export const WORK_OUTCOMES: Words<records.WorkOutcome> = {
  completed: true,
  failed: true,
  stopped: true,
  timed_out: true,
  lost: true,
};
export const RUN_TYPES: Words<records.RunType> = { start_session: true, resume_session: true };
export const RUN_PURPOSES: Words<records.RunPurpose> = { work: true, state_update: true, callback: true };
export const RUN_STATUSES: Words<records.RunStatus> = {
  pending: true,
  claimed: true,
  running: true,
  stopping: true,
  completed: true,
  failed: true,
  stopped: true,
  timed_out: true,
};
export const FAILURE_CAUSES: Words<records.FailureCause> = {
  agent: true,
  environment: true,
  rate_limit: true,
  configuration: true,
  prompt_too_long: true,
};
export const STOP_REASONS: Words<NonNullable<records.Run['stopReason']>> = {
  requested: true,
  timeout: true,
  cancelled: true,
};
export const CALLBACK_STATUSES: Words<records.CallbackStatus> = {
  held: true,
  queued: true,
  delivered: true,
  acknowledged: true,
  dead: true,
};
export const EVENT_KINDS: Words<records.EventKind> = {
  create: true,
  replace: true,
  json_patch: true,
  merge_patch: true,
  ops: true,
  revert: true,
  migrate: true,
  on_behalf: true,
  workflow: true,
  key_set: true,
  key_delete: true,
  key_increment: true,
  key_append: true,
  key_patch: true,
  key_batch: true,
};
export const COMPATIBILITY_WORDS: Words<records.CompatibilityMode> = {
  none: true,
  backward: true,
  forward: true,
  full: true,
  backward_transitive: true,
  forward_transitive: true,
  full_transitive: true,
};
export const ROLES: Words<records.Role> = { admin: true, orchestrator: true, runner: true, reader: true };
export const NOTICE_KINDS: Words<DomainEventKind> = {
  session: true,
  run: true,
  completion: true,
  callback: true,
  state: true,
};
export const WEBHOOK_STATUSES: Words<records.DeliveryStatus> = {
  checking: true,
  pending: true,
  sending: true,
  delivered: true,
  dead: true,
};
const WEBHOOK_EVENTS: Words<records.WebhookEventType> = {
  workflow_state_created: true,
  workflow_state_updated: true,
  workflow_state_deleted: true,
  session_updated: true,
  run_updated: true,
  completion_updated: true,
  callback_updated: true,
};
export const MESSAGE_TYPES: Words<records.WebhookDelivery['type']> = { ...WEBHOOK_EVENTS, callback: true };
export const BREAKER_STATUSES: Words<records.BreakerStatus> = { closed: true, open: true, half_open: true };

const ATTEMPT_OUTCOMES: Words<records.CompletionAttempt['outcome']> = {
  open: true,
  recorded: true,
  no_write: true,
  contract_failed: true,
  timed_out: true,
  agent_failed: true,
  environment: true,
  configuration: true,
  prompt_too_long: true,
  cancelled: true,
};
const MODES: Words<records.CompletionMode> = { always: true, unless_satisfied: true, never: true };

function isOf(words: object, value: JsonValue | undefined): boolean {
  return typeof value === 'string' && Object.hasOwn(words, value);
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string';
}

function isTextOrNull(value: JsonValue | undefined): boolean {
  return value === null || isText(value);
}

function isTexts(value: JsonValue | undefined): boolean {
  return isJsonArray(value) && value.every(isText);
}

function isNumber(value: JsonValue | undefined): boolean {
  return typeof value === 'number';
}

function isAdmitted(value: JsonObject): boolean {
  return isJsonObject(value['schema']) && isText(value['schemaHash']);
}

function isContract(value: JsonValue | undefined): boolean {
  return value === null || (isJsonObject(value) && isText(value['pointer']) && isAdmitted(value));
}

function isViolation(value: JsonValue): boolean {
  return isJsonObject(value) && isText(value['pointer']) && isText(value['message']);
}

/** True for a time that can be added to a time of today: the result is one, too. */
function isDuration(value: JsonValue | undefined): boolean {
  return isTime(value) && value <= LAST_MS / 2;
}

function listOf(isItem: (value: JsonValue) => boolean, otherwise: string): JsonForm {
  return { otherwise, fits: (value) => isJsonArray(value) && value.every(isItem), neutral: '[]' };
}

function objectOf(
  isMember: (value: JsonObject) => boolean,
  otherwise: string,
  neutral: string | null,
): JsonForm {
  return { otherwise, fits: (value) => isJsonObject(value) && isMember(value), neutral };
}

/** Replaces damaged completion settings: no state update is requested, and nothing may be written. */
const NO_TERMS: records.CompletionSettings = {
  mode: 'never',
  contract: null,
  writeScope: [],
  attemptsMax: 1,
  timeoutMs: 60_000,
  retryDelayMs: 0,
};

export const SETTINGS = objectOf(
  (value) =>
    isOf(MODES, value['mode']) &&
    isContract(value['contract']) &&
    (value['writeScope'] === null || isTexts(value['writeScope'])) &&
    isCount(value['attemptsMax']) &&
    // Times are computed with them.
    [value['timeoutMs'], value['retryDelayMs']].every(isDuration),
  'are no completion settings',
  JSON.stringify(NO_TERMS),
);
export const DEMANDS = objectOf(
  (value) => isTextOrNull(value['hostname']) && isTextOrNull(value['executorType']) && isTexts(value['tags']),
  'are no demands of a runner',
  JSON.stringify({ hostname: null, executorType: null, tags: [] } satisfies records.Demands),
);
export const REQUEST = objectOf(
  (value) => isNumber(value['attempt']) && isNumber(value['of']) && isText(value['prompt']),
  'is no request',
  null,
);
export const ATTEMPTS = listOf(
  (value) =>
    isJsonObject(value) &&
    isNumber(value['attempt']) &&
    isOf(ATTEMPT_OUTCOMES, value['outcome']) &&
    isJsonArray(value['errors']) &&
    isTime(value['startedAt']) &&
    (value['endedAt'] === null || isTime(value['endedAt'])),
  'are no attempts',
);
export const CHANGES = listOf(
  (value) => isJsonObject(value) && isNumber(value['version']) && isJsonArray(value['patch']),
  'are no changes',
);
export const VIOLATIONS = listOf(isViolation, 'are no violations');
export const BROKEN = objectOf(
  (value) => isTextOrNull(value['by']) && isNumber(value['version']) && isJsonArray(value['errors']),
  'is no broken contract',
  null,
);
export const CONDITION = objectOf(isAdmitted, 'is no condition', null);
export const EVENTS = listOf((value) => isOf(WEBHOOK_EVENTS, value), 'are no events of a webhook');
export const DELIVERY_ATTEMPTS = listOf(
  (value) => isJsonObject(value) && isNumber(value['attempt']) && isTime(value['at']),
  'are no attempts',
);
export const PARTS = listOf(
  (value) => isJsonObject(value) && isText(value['pointer']) && isNumber(value['version']),
  'are no parts',
);
