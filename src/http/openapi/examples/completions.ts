// Examples of the operations on completions. Recorded: see index.ts.
import type { Examples } from './example.js';

const COMPLETION = {
  session_id: 'ses_example',
  generation: 1,
  state_update_status: null,
  attempt: 0,
  max_attempts: 3,
  contract: null,
  write_scope: null,
  await_state: false,
  mode: 'always',
  attempts: [],
  contract_broken: null,
  reason: null,
  due_at: null,
  released_at: null,
  session_name: 'release',
  session_status: 'pending',
  root_session_id: 'ses_example',
};

const ATTEMPT = {
  attempt: 1,
  run_id: 'run_3gkzx1ymn8m3x36xe2sy',
  prompt_level: 1,
  outcome: 'open',
  errors: [],
  started_at: '2026-01-01T12:00:00.000Z',
  ended_at: null,
};

const COMPLETION_3 = {
  session_id: 'ses_child',
  generation: 1,
  state_update_status: 'pending',
  attempt: 1,
  max_attempts: 3,
  contract: null,
  write_scope: null,
  await_state: false,
  mode: 'always',
  attempts: [ATTEMPT],
  contract_broken: null,
  reason: null,
  due_at: null,
  released_at: null,
};

export const COMPLETIONS: Examples = {
  getSessionResult: {
    path: { id: 'ses_child' },
    status: 200,
    answer: {
      session_id: 'ses_child',
      status: 'finished',
      result_text: 'Two pages are missing.',
      result_data: null,
    },
  },
  reportSessionEvent: {
    path: { id: 'ses_notes' },
    body: { type: 'session_start' },
    status: 202,
    answer: { state_update_status: null },
  },
  listCompletions: {
    query: { root_session: 'ses_example' },
    status: 200,
    answer: {
      items: [
        COMPLETION,
        {
          ...COMPLETION,
          session_id: 'ses_child',
          state_update_status: 'pending',
          attempt: 1,
          attempts: [ATTEMPT],
          session_name: 'review-docs',
          session_status: 'finished',
        },
      ],
      next_cursor: null,
    },
  },
  getCompletion: { path: { id: 'ses_child' }, status: 200, answer: COMPLETION_3 },
  skipCompletion: {
    path: { id: 'ses_child' },
    body: { reason: 'The result is known already' },
    status: 200,
    answer: {
      ...COMPLETION_3,
      state_update_status: 'skipped',
      attempts: [{ ...ATTEMPT, outcome: 'cancelled', ended_at: '2026-01-01T12:00:00.000Z' }],
      reason: 'The result is known already',
      released_at: '2026-01-01T12:00:00.000Z',
    },
  },
  retryCompletion: {
    path: { id: 'ses_child' },
    body: { reason: 'It is wanted after all' },
    status: 200,
    answer: {
      ...COMPLETION_3,
      attempts: [
        { ...ATTEMPT, outcome: 'cancelled', ended_at: '2026-01-01T12:00:00.000Z' },
        { ...ATTEMPT, run_id: 'run_x4zn88a7vtr0bqtfg5nz' },
      ],
      released_at: '2026-01-01T12:00:00.000Z',
    },
  },
  pullCallbacks: {
    path: { id: 'ses_example' },
    query: { wait: '1s' },
    status: 200,
    answer: {
      items: [
        {
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
          metadata: {
            callback_source: 'review-docs',
            workflow_state_version: 11,
            state_update_status: 'skipped',
          },
          created_at: '2026-01-01T12:00:00.000Z',
          delivered_at: '2026-01-01T12:00:00.000Z',
        },
      ],
      next_cursor: null,
      remaining: 0,
      state_summary:
        '<countersign-session session="release" state="wfstate_example" state_version="11">\nThe workflow state now (version 11), the members that changed last first:\n{"members":[\n{"pointer":"/phase","version":11,"value":"review"},\n{"pointer":"/tasks","version":9,"value":["read","test"]}\n],"_truncated":false,"count":2}\nRead all of it, or a part: the MCP tool state_read, or: countersign state get wfstate_example\n</countersign-session>',
    },
  },
};
