// The hooks of Claude Code.
import { answersWith, BLOCKS, EVENTS } from '../hooks/output.js';
import type { ClientHooks } from '../hooks/client-hooks.js';

export const hooks: ClientHooks = {
  events: EVENTS,
  lastMessage: 'last_assistant_message',
  variables: {
    refusals: 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP',
    environmentFile: 'CLAUDE_ENV_FILE',
    processId: 'CLAUDE_PID',
  },
  overHttp: true,
  answer: answersWith(EVENTS, BLOCKS),
};
