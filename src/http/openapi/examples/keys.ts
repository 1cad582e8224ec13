// Examples of the operations on keys. Recorded: see index.ts.
import type { Examples } from './example.js';

const KEY = {
  root_session_id: 'ses_example',
  state_id: 'wfstate_example',
  key: 'note',
  value: 'second',
  version: 8,
  updated_at: '2026-01-01T12:00:00.000Z',
  updated_by: null,
  changed: true,
  global_version: 8,
};

export const KEYS: Examples = {
  openKeyState: {
    path: { id: 'ses_notes' },
    body: { initial_state: { topic: 'release' } },
    status: 201,
    answer: {
      state_id: 'wfstate_zhqy7r80mabdnmevayxz',
      schema_id: 'schema_s1asjsqs1zag681t6m7x',
      schema_name: 'free-form',
      schema_version: 1,
      root_session_id: 'ses_notes',
      root_session_name: 'notes',
      version: 1,
      created_at: '2026-01-01T12:00:00.000Z',
      updated_at: '2026-01-01T12:00:00.000Z',
      updated_by: null,
      current_data: { topic: 'release' },
    },
  },
  getKeys: {
    path: { id: 'ses_example' },
    status: 200,
    answer: {
      root_session_id: 'ses_example',
      state_id: 'wfstate_example',
      keys: {
        phase: { value: 'plan', version: 5, updated_at: '2026-01-01T12:00:00.000Z', updated_by: null },
        tasks: { value: ['read'], version: 5, updated_at: '2026-01-01T12:00:00.000Z', updated_by: null },
        note: { value: 'first', version: 7, updated_at: '2026-01-01T12:00:00.000Z', updated_by: null },
      },
      global_version: 7,
    },
  },
  getKey: {
    path: { id: 'ses_example', key: 'note' },
    status: 200,
    answer: {
      root_session_id: 'ses_example',
      state_id: 'wfstate_example',
      key: 'note',
      value: 'first',
      version: 7,
      updated_at: '2026-01-01T12:00:00.000Z',
      updated_by: null,
    },
  },
  setKey: {
    path: { id: 'ses_example', key: 'note' },
    body: { value: 'second' },
    status: 200,
    answer: KEY,
  },
  deleteKey: {
    path: { id: 'ses_example', key: 'note' },
    status: 200,
    answer: {
      root_session_id: 'ses_example',
      state_id: 'wfstate_example',
      key: 'note',
      changed: true,
      global_version: 10,
    },
  },
  operateOnKey: {
    path: { id: 'ses_example', key: 'tasks' },
    body: { operation: 'append', items: ['test'] },
    status: 200,
    answer: { ...KEY, key: 'tasks', value: ['read', 'test'], version: 9, global_version: 9 },
  },
  writeKeys: {
    path: { id: 'ses_example' },
    body: { operations: [{ op: 'set', key: 'note', value: 'first' }] },
    status: 200,
    answer: {
      applied: true,
      changed: true,
      results: [{ key: 'note', op: 'set', status: 'applied' }],
      global_version: 7,
    },
  },
  listKeyEvents: {
    path: { id: 'ses_example' },
    query: { since: 7, limit: 2 },
    status: 200,
    answer: {
      events: [
        {
          event_id: 'evt_mqy6zzzftpp026tx9s91',
          version: 8,
          session_id: null,
          run_id: null,
          created_at: '2026-01-01T12:00:00.000Z',
          key: 'note',
          type: 'set',
          value: 'second',
        },
        {
          event_id: 'evt_zb0mcfnk7m48s69q78zw',
          version: 9,
          session_id: null,
          run_id: null,
          created_at: '2026-01-01T12:00:00.000Z',
          key: 'tasks',
          type: 'append',
          items: ['test'],
        },
      ],
      has_more: true,
      next_since: 9,
    },
  },
  appendKeyEvent: {
    path: { id: 'ses_example' },
    body: { type: 'set', key: 'phase', value: 'review' },
    status: 200,
    answer: { ...KEY, key: 'phase', value: 'review', version: 11, global_version: 11 },
  },
};
