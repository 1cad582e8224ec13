// The names of the client's tools, for the gate.
import type { ClientTools } from '../../domain/hooks/clients.js';

export const tools: ClientTools = {
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
};
