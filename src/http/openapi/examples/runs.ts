// Examples of the operations on runs. Recorded: see index.ts.
import type { Examples } from './example.js';

const RUN = {
  run_id: 'run_example',
  type: 'start_session',
  purpose: 'work',
  session_id: 'ses_child',
  session_name: 'review-docs',
  prompt: 'Review the documentation, and list what is missing.',
  status: 'pending',
  attempt: 0,
  runner_id: null,
  metadata: {},
  error: null,
  created_at: '2026-01-01T12:00:00.000Z',
  claimed_at: null,
  started_at: null,
  completed_at: null,
};

export const RUNS: Examples = {
  createRun: {
    body: {
      type: 'start_session',
      session_name: 'review-docs',
      parent_session_id: 'ses_example',
      callback: true,
      prompt: 'Review the documentation, and list what is missing.',
    },
    status: 201,
    answer: RUN,
  },
  listRuns: { query: { status: 'pending' }, status: 200, answer: { items: [RUN], next_cursor: null } },
  getRun: { path: { id: 'run_example' }, status: 200, answer: RUN },
  stopRun: {
    path: { id: 'run_stopping' },
    body: { reason: 'It is no longer needed' },
    status: 202,
    answer: {
      run_id: 'run_stopping',
      type: 'start_session',
      purpose: 'work',
      session_id: 'ses_d21mf6b6czn7ka9d9qfhpcqr',
      session_name: 'stopped',
      prompt: 'Build it.',
      status: 'stopping',
      attempt: 1,
      runner_id: 'rnr_example',
      metadata: {},
      error: 'The run was stopped: It is no longer needed',
      created_at: '2026-01-01T12:00:00.000Z',
      claimed_at: '2026-01-01T12:00:00.000Z',
      started_at: null,
      completed_at: null,
    },
  },
};
