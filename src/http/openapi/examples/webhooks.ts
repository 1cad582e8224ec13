// Examples of the operations on webhooks. Recorded: see index.ts.
import type { Examples } from './example.js';

const WEBHOOK = {
  webhook_id: 'hook_example',
  url: 'https://ci.example/hooks/review',
  events: ['workflow_state_updated'],
  state_id: null,
  root_session_id: null,
  schema_name: null,
  when: null,
  enabled: true,
  disabled_reason: null,
  created_at: '2026-01-01T12:00:00.000Z',
  updated_at: '2026-01-01T12:00:00.000Z',
};

const DELIVERY = {
  delivery_id: 'dlv_example',
  webhook_id: 'hook_example',
  type: 'workflow_state_updated',
  state_id: 'wfstate_example',
  version: 11,
  status: 'delivered',
  attempts: [
    { attempt: 1, at: '2026-01-01T12:00:00.000Z', duration_ms: 25, status: 204, error: null, response: '' },
  ],
  next_attempt_at: null,
  reason: null,
  created_at: '2026-01-01T12:00:00.000Z',
  ended_at: '2026-01-01T12:00:00.000Z',
};

export const WEBHOOKS: Examples = {
  createWebhook: {
    body: { url: 'https://ci.example/hooks/review', events: ['workflow_state_updated'] },
    status: 201,
    answer: {
      webhook_id: 'hook_example',
      url: 'https://ci.example/hooks/review',
      events: ['workflow_state_updated'],
      state_id: null,
      root_session_id: null,
      schema_name: null,
      when: null,
      enabled: true,
      disabled_reason: null,
      created_at: '2026-01-01T12:00:00.000Z',
      updated_at: '2026-01-01T12:00:00.000Z',
      secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    },
  },
  listWebhooks: { query: { limit: 10 }, status: 200, answer: { items: [WEBHOOK], next_cursor: null } },
  getWebhook: { path: { id: 'hook_example' }, status: 200, answer: WEBHOOK },
  deleteWebhook: { path: { id: 'hook_example' }, status: 204 },
  enableWebhook: { path: { id: 'hook_example' }, status: 200, answer: WEBHOOK },
  disableWebhook: {
    path: { id: 'hook_example' },
    body: { reason: 'The receiver is being moved' },
    status: 200,
    answer: { ...WEBHOOK, enabled: false, disabled_reason: 'The receiver is being moved' },
  },
  listWebhookDeliveries: {
    path: { id: 'hook_example' },
    query: { status: 'delivered', limit: 1 },
    status: 200,
    answer: { items: [DELIVERY], next_cursor: 'WyJ3ZWJob29rRGVsaXZlcmllcyIsMTBd' },
  },
  redeliverWebhookDelivery: {
    path: { id: 'hook_example', delivery_id: 'dlv_example' },
    body: { reason: 'The receiver is back' },
    status: 200,
    answer: {
      ...DELIVERY,
      status: 'pending',
      next_attempt_at: '2026-01-01T12:00:00.000Z',
      reason: 'The receiver is back',
      ended_at: null,
    },
  },
};
