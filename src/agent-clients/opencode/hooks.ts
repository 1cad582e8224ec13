// The hooks of opencode. It has no command hooks: our own plugin replaces them, with these event names and answers.
import type { HookResult } from '../../domain/hooks/result.js';
import type { Hook } from '../../domain/hooks/clients.js';
import type { JsonObject } from '../../domain/json/json.js';
import type { ClientHooks, HookEventNames } from '../hooks/client-hooks.js';

const events: HookEventNames = {
  'session-start': 'SessionStart',
  stop: 'Stop',
  'pre-tool-use': 'PreToolUse',
  'session-end': 'SessionEnd',
};

export const hooks: ClientHooks = {
  events,
  lastMessage: 'last_assistant_message',
  variables: {},
  overHttp: false,
  answer: pluginAnswer,
};

/** The plugin passes the variables to the commands of the session and writes them to no file. */
function pluginAnswer(_hook: Hook, { verdict, text, environment }: HookResult): JsonObject {
  switch (verdict) {
    case 'begin':
      return { ...(text === null ? {} : { context: text }), environment: { ...environment } };
    case 'go_on':
      return { decision: 'block', reason: text ?? '' };
    case 'end':
    case 'waiting':
      return text === null ? {} : { systemMessage: text };
    case 'allow':
    case 'deny':
      return { decision: verdict, ...(text === null ? {} : { reason: text }) };
  }
}
