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
        '<agent-callback child="review-docs" outcome="completed" state_update="skipped" state="wfstate_example" state_version="11" callback="cb_example">\nChild session review-docs completed its work.\n\nIt was not asked to record its result. The result is known already\n\nWhat it said when its work ended:\nTwo pages are missing.\n\nRead more: countersign session result review-docs · the MCP tool state_read, or countersign state get wfstate_example\n</agent-callback>\n\n<countersign-session session="release" state="wfstate_example" state_version="11">\nThe workflow state now (version 11), the members that changed last first:\n{"members":[\n{"pointer":"/phase","version":11,"value":"review"},\n{"pointer":"/tasks","version":9,"value":["read","test"]}\n],"_truncated":false,"count":2}\nRead all of it, or a part: the MCP tool state_read, or: countersign state get wfstate_example\n</countersign-session>',
    },
  },
};
