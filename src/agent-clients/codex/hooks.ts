// The hooks of Codex, in the format of Claude Code.
import { answersWith, BLOCKS, EVENTS } from '../hooks/output.js';
import type { ClientHooks } from '../hooks/client-hooks.js';

export const hooks: ClientHooks = {
  events: EVENTS,
  lastMessage: 'last_assistant_message',
  variables: {},
  overHttp: false,
  answer: answersWith(EVENTS, BLOCKS),
};
