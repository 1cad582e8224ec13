// Examples of the operations on hooks. Recorded: see index.ts.
import type { Examples } from './example.js';

export const HOOKS: Examples = {
  answerHook: {
    path: { client: 'claude-code' },
    query: { session: 'ses_example' },
    body: { hook_event_name: 'Stop', session_id: '5f0c2b1e', stop_hook_active: false },
    status: 200,
    answer: {
      decision: 'block',
      reason:
        '<agent-callback child="review-docs" outcome="completed" state_update="skipped" state="wfstate_example" state_version="11" callback="cb_example">\nChild session review-docs completed its work.\n\nIt was not asked to record its result. The result is known already\n\nWhat it said when its work ended:\nTwo pages are missing.\n\nRead more: countersign session result review-docs · countersign state get wfstate_example\n</agent-callback>',
    },
  },
};
