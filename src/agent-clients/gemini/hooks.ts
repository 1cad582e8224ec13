// The hooks of Gemini CLI.
import { answersWith } from '../hooks/output.js';
import type { ClientHooks, HookEventNames } from '../hooks/client-hooks.js';

const events: HookEventNames = {
  'session-start': 'SessionStart',
  stop: 'AfterAgent',
  'pre-tool-use': 'BeforeTool',
  'session-end': 'SessionEnd',
};

const denied = (reason: string) => ({ decision: 'deny', reason });

export const hooks: ClientHooks = {
  events,
  lastMessage: 'prompt_response',
  variables: {},
  overHttp: false,
  answer: answersWith(events, { stop: denied, tool: denied }),
};
