// The `webhooks` section: the messages to receivers, with the headers of Standard Webhooks.
import { Type, type TProperties } from 'typebox';
import type { JsonObject } from '../../domain/json/json.js';
import * as api from '../../ports/api/index.js';
import { pascal } from './names.js';
import { referenceTo, wholeSchemaOf } from './schemas.js';

interface WebhookMessage {
  readonly summary: string;
  readonly data: TProperties;
  readonly example: JsonObject;
}

const STATE = { state_id: 'wfstate_example', root_session_id: 'ses_example' };
const WRITTEN = {
  updated_by_session: 'ses_example',
  run_id: null,
  late: false,
  timestamp: '2026-01-01T12:00:00.000Z',
};
const CALLBACK = {
  callback_id: 'cb_example',
  parent_session_id: 'ses_example',
  child_session_id: 'ses_child',
};

/** Every kind of message, by its `type`. */
const MESSAGES: Readonly<Record<string, WebhookMessage>> = {
  workflow_state_created: {
    summary: 'A workflow state was made',
    data: api.stateWritten,
    example: {
      ...STATE,
      version: 1,
      kind: 'create',
      patch: [{ op: 'add', path: '', value: { phase: 'plan' } }],
      ...WRITTEN,
    },
  },
  workflow_state_updated: {
    summary: 'A write was accepted',
    data: api.stateWritten,
    example: {
      ...STATE,
      version: 2,
      kind: 'merge_patch',
      patch: [{ op: 'replace', path: '/phase', value: 'review' }],
      ...WRITTEN,
    },
  },
  workflow_state_deleted: {
    summary: 'A workflow state was deleted',
    data: { ...api.stateDeleted, version: Type.Optional(api.Version) },
    example: { ...STATE, version: 2 },
  },
  session_updated: {
    summary: 'A session was made or has changed',
    data: api.sessionUpdated,
    example: {
      session_id: 'ses_example',
      session_name: 'review',
      parent_session_id: null,
      root_session_id: 'ses_example',
      status: 'running',
      generation: 1,
      deleted: false,
    },
  },
  run_updated: {
    summary: 'The status or the attempt of a run has changed',
    data: api.runUpdated,
    example: {
      run_id: 'run_example',
      session_id: 'ses_example',
      session_name: 'review',
      root_session_id: 'ses_example',
      type: 'start_session',
      purpose: 'work',
      status: 'completed',
      attempt: 1,
      runner_id: 'rnr_example',
      error: null,
    },
  },
  completion_updated: {
    summary: 'How far a child is with writing the state has changed',
    data: api.completionUpdated,
    example: {
      session_id: 'ses_child',
      root_session_id: 'ses_example',
      generation: 1,
      state_update_status: 'completed',
      attempt: 1,
      max_attempts: 3,
      reason: null,
      released: true,
    },
  },
  callback_updated: {
    summary: 'The status of a callback has changed',
    data: api.callbackUpdated,
    example: {
      ...CALLBACK,
      root_session_id: 'ses_example',
      status: 'delivered',
      delivery: 'resume',
      run_id: 'run_example',
      outcome: 'completed',
      state_update_status: 'completed',
      workflow_state_version: 2,
    },
  },
  callback: {
    summary: 'The callback of a child, to the `callback_url` of its parent',
    data: api.callbackMessage,
    example: {
      ...CALLBACK,
      child_session_name: 'review-docs',
      root_session_id: 'ses_example',
      outcome: 'completed',
      metadata: {
        callback_source: 'review-docs',
        workflow_state_version: 2,
        state_update_status: 'completed',
      },
      message: 'The child session review-docs has ended.',
      acknowledge: '/callbacks/cb_example/ack',
    },
  },
};

function messageSchema(type: string, { data }: WebhookMessage): JsonObject {
  const message = Type.Object({
    type: Type.Literal(type),
    timestamp: api.Timestamp,
    data: Type.Object(data),
  });
  return wholeSchemaOf(message) as JsonObject;
}

function messageName(type: string): string {
  return `${pascal(type)}Message`;
}

export function messageSchemas(): JsonObject {
  return Object.fromEntries(
    Object.entries(MESSAGES).map(([type, message]) => [messageName(type), messageSchema(type, message)]),
  );
}

const HEADERS = {
  'webhook-id': {
    description: 'The same for each attempt of a message: by it a receiver tells a repeat',
    schema: { type: 'string' },
    example: 'dlv_example',
  },
  'webhook-timestamp': {
    description: 'When this attempt was signed, seconds since 1970',
    schema: { type: 'string', pattern: '^[0-9]+$' },
    example: '1767268800',
  },
  'webhook-signature': {
    description: '`v1,` and an HMAC-SHA-256 over `id.timestamp.body` in base64, by the secret of the webhook',
    schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/]+=*$' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
  'User-Agent': {
    description: 'The program and its version',
    schema: { type: 'string' },
    example: 'countersign/0.1.0',
  },
} as const;

/** A name that differs from operation parameters: `webhook-id` is not the id of a webhook. */
function parameterName(name: string): string {
  return `Message${pascal(name)}`;
}

export function webhookParameters(): JsonObject {
  return Object.fromEntries(
    Object.entries(HEADERS).map(([name, { description, schema, example }]) => [
      parameterName(name),
      { name, in: 'header', required: name !== 'User-Agent', description, schema, example },
    ]),
  );
}

const ANSWERS: JsonObject = {
  '2XX': { description: 'Taken' },
  '410': { description: 'Nobody is there any more: the webhook is disabled' },
  '4XX': { description: 'Not taken: sent again later' },
  '5XX': { description: 'Not taken: sent again later, after `Retry-After` where the answer has one' },
};

export function webhooksSection(): JsonObject {
  const parameters = Object.keys(HEADERS).map((name) => referenceTo('parameters', parameterName(name)));
  return Object.fromEntries(
    Object.entries(MESSAGES).map(([type, { summary, example }]) => [
      type,
      {
        post: {
          operationId: `on${pascal(type)}`,
          summary,
          description:
            type === 'callback'
              ? 'Sent at least once to the `callback_url` of a parent whose `delivery` is `webhook`. See docs/webhooks.md.'
              : `Sent at least once to each webhook whose \`events\` hold \`${type}\`, in no promised order. See docs/webhooks.md.`,
          tags: ['Webhooks'],
          security: [{ webhookSignature: [] }],
          parameters,
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: referenceTo('schemas', messageName(type)),
                examples: {
                  example: { value: { type, timestamp: '2026-01-01T12:00:00.000Z', data: example } },
                },
              },
            },
          },
          responses: ANSWERS,
        },
      },
    ]),
  );
}
