// The definition of Gemini CLI.
import type { AgentClient } from '../client.js';
import { commandLine } from './cli.js';
import { hooks } from './hooks.js';

export const gemini: AgentClient<'gemini'> = {
  ...commandLine,
  name: 'gemini',
  title: 'Gemini CLI',
  refusalsInARowMax: null,
  hooks,
  settings: () => import('./settings.js').then(({ settings }) => settings),
  tools: {
    readOnly: [
      'ask_user',
      'enter_plan_mode',
      'exit_plan_mode',
      'get_internal_docs',
      'glob',
      'grep_search',
      'list_directory',
      'list_mcp_resources',
      'read_file',
      'read_many_files',
      'read_mcp_resource',
      'search_file_content',
      'write_todos',
    ],
    own: /^mcp_countersign_(run_)?(state|workflow)_[a-z]+$/,
    shell: 'run_shell_command',
  },
  conversation: { variable: null, inherited: [], metaMember: null, toolCallMember: null },
};
