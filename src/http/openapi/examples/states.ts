// Examples of the operations on states. Recorded: see index.ts.
import type { Examples } from './example.js';

const STATE = {
  state_id: 'wfstate_example',
  schema_id: 'schema_tnw8v9baxze8hcw1pwx7',
  schema_name: 'review',
  schema_version: 1,
  root_session_id: 'ses_example',
  root_session_name: 'release',
  version: 1,
  created_at: '2026-01-01T12:00:00.000Z',
  updated_at: '2026-01-01T12:00:00.000Z',
  updated_by: null,
  current_data: { phase: 'plan', tasks: [] },
};

export const STATES: Examples = {
  createState: {
    body: {
      schema_name: 'review',
      schema_version: 1,
      initial_data: { phase: 'plan', tasks: [] },
      root_session_id: 'ses_example',
    },
    status: 201,
    answer: STATE,
  },
  listStates: {
    query: { root_session: 'ses_example' },
    status: 200,
    answer: {
      items: [
        {
          state_id: 'wfstate_example',
          schema_id: 'schema_tnw8v9baxze8hcw1pwx7',
          schema_name: 'review',
          schema_version: 1,
          root_session_id: 'ses_example',
          root_session_name: 'release',
          version: 1,
          created_at: '2026-01-01T12:00:00.000Z',
          updated_at: '2026-01-01T12:00:00.000Z',
          updated_by: null,
        },
      ],
      next_cursor: null,
    },
  },
  getState: { path: { id: 'wfstate_example' }, status: 200, answer: STATE },
  replaceState: {
    path: { id: 'wfstate_example' },
    body: { data: { phase: 'plan', tasks: ['read'] }, expected_version: 1 },
    status: 200,
    answer: { ...STATE, version: 2, current_data: { phase: 'plan', tasks: ['read'] }, changed: true },
  },
  patchState: {
    path: { id: 'wfstate_example' },
    contentType: 'application/json-patch+json',
    body: [{ op: 'replace', path: '/phase', value: 'review' }],
    status: 200,
    answer: { ...STATE, version: 3, current_data: { phase: 'review', tasks: ['read'] }, changed: true },
  },
  deleteState: { path: { id: 'wfstate_example' }, status: 204 },
  listStateEvents: {
    path: { id: 'wfstate_example' },
    query: { since: 1, limit: 1 },
    status: 200,
    answer: {
      events: [
        {
          event_id: 'evt_dxcbx4a0qs63se9m2jrv',
          version: 2,
          kind: 'replace',
          patch: [{ op: 'add', path: '/tasks/0', value: 'read' }],
          session_id: null,
          run_id: null,
          token_name: null,
          late: false,
          created_at: '2026-01-01T12:00:00.000Z',
          previous_hash: 'f5d8c78c6a747e4a2789795c8410b105c90434f2b901fc95035c521e0bf2dd9e',
          hash: 'fba664b64868d8b69e2ef642735bbc2ba6a4e6e11e52df6e8cd268ec6f72d863',
          signature: null,
        },
      ],
      has_more: true,
      next_since: 2,
    },
  },
  waitForState: {
    path: { id: 'wfstate_example' },
    body: { until: { properties: { phase: { const: 'plan' } } }, timeout_ms: 1000 },
    status: 200,
    answer: {
      ...STATE,
      schema_id: 'schema_hb48epkv75zf5xmj4phs',
      schema_version: 2,
      version: 6,
      current_data: { phase: 'plan', tasks: ['read'] },
      matched: true,
    },
  },
  migrateState: {
    path: { id: 'wfstate_example' },
    body: { schema_version: 2 },
    status: 200,
    answer: {
      ...STATE,
      schema_id: 'schema_hb48epkv75zf5xmj4phs',
      schema_version: 2,
      version: 6,
      current_data: { phase: 'plan', tasks: ['read'] },
      changed: true,
    },
  },
  operateOnState: {
    path: { id: 'wfstate_example' },
    body: { operations: [{ op: 'append', pointer: '/tasks', items: ['write'] }] },
    status: 200,
    answer: {
      ...STATE,
      version: 4,
      current_data: { phase: 'review', tasks: ['read', 'write'] },
      changed: true,
    },
  },
  diffState: {
    path: { id: 'wfstate_example' },
    query: { from: 1, to: 3 },
    status: 200,
    answer: {
      from: 1,
      to: 3,
      patch: [
        { op: 'add', path: '/tasks/0', value: 'read' },
        { op: 'replace', path: '/phase', value: 'review' },
      ],
    },
  },
  revertState: {
    path: { id: 'wfstate_example' },
    body: { to_version: 2 },
    status: 200,
    answer: { ...STATE, version: 5, current_data: { phase: 'plan', tasks: ['read'] }, changed: true },
  },
};
