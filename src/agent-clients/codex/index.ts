// The definition of Codex.
import type { AgentClient } from '../client.js';
import { commandLine } from './cli.js';
import { hooks } from './hooks.js';

export const codex: AgentClient<'codex'> = {
  ...commandLine,
  name: 'codex',
  title: 'Codex',
  refusalsInARowMax: null,
  hooks,
  settings: () => import('./settings.js').then(({ settings }) => settings),
  tools: {
    readOnly: [
      'list_mcp_resource_templates',
      'list_mcp_resources',
      'read_mcp_resource',
      'request_user_input',
      'update_plan',
      'view_image',
    ],
    own: /^mcp__countersign(_run)?__(state|workflow)_[a-z]+$/,
    shell: 'Bash',
  },
  conversation: {
    variable: 'CODEX_THREAD_ID',
    inherited: ['CODEX_THREAD_ID', 'CODEX_SESSION_ID'],
    metaMember: 'threadId',
    toolCallMember: 'callId',
  },
};
