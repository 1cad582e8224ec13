// The hooks of Claude Code.
import { answersWith, BLOCKS } from '../hooks/output.js';
import type { ClientHooks, HookEventNames } from '../hooks/client-hooks.js';

const events: HookEventNames = {
  'session-start': 'SessionStart',
  stop: 'Stop',
  'subagent-stop': 'SubagentStop',
  'pre-tool-use': 'PreToolUse',
  'session-end': 'SessionEnd',
};

export const hooks: ClientHooks = {
  events,
  lastMessage: 'last_assistant_message',
  capVariable: 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP',
  overHttp: true,
  answer: answersWith(events, BLOCKS),
};
