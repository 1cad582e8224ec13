// Examples of the operations on callbacks. Recorded: see index.ts.
import type { Examples } from './example.js';

const CALLBACK = {
  callback_id: 'cb_example',
  parent_session_id: 'ses_example',
  child_session_id: 'ses_child',
  status: 'delivered',
  delivery: 'pull',
  run_id: null,
  outcome: 'completed',
  message:
    '<agent-callback child="review-docs" outcome="completed" state_update="skipped" state="wfstate_example" state_version="11" callback="cb_example">\nChild session review-docs completed its work.\n\nIt was not asked to record its result. The result is known already\n\nWhat it said when its work ended:\nTwo pages are missing.\n\nRead more: countersign session result review-docs · the MCP tool state_read, or countersign state get wfstate_example\n</agent-callback>',
  reason: null,
  metadata: { callback_source: 'review-docs', workflow_state_version: 11, state_update_status: 'skipped' },
  created_at: '2026-01-01T12:00:00.000Z',
  delivered_at: '2026-01-01T12:00:00.000Z',
};

export const CALLBACKS: Examples = {
  listCallbacks: {
    query: { status: 'delivered' },
    status: 200,
    answer: { items: [CALLBACK], next_cursor: null },
  },
  acknowledgeCallback: {
    path: { id: 'cb_example' },
    status: 200,
    answer: { ...CALLBACK, status: 'acknowledged' },
  },
  redeliverCallback: {
    path: { id: 'cb_example' },
    body: { reason: 'The parent was restored' },
    status: 200,
    answer: { ...CALLBACK, status: 'queued', reason: 'The parent was restored', delivered_at: null },
  },
};
