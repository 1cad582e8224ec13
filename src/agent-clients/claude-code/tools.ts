// The names of the client's tools, for the gate.
import type { ClientTools } from '../../domain/hooks/clients.js';

export const tools: ClientTools = {
  readOnly: [
    'AskUserQuestion',
    'BashOutput',
    'CronList',
    'EnterPlanMode',
    'ExitPlanMode',
    'Glob',
    'Grep',
    'LS',
    'ListMcpResourcesTool',
    'NotebookRead',
    'Read',
    'ReadMcpResourceDirTool',
    'ReadMcpResourceTool',
    'TaskCreate',
    'TaskGet',
    'TaskList',
    'TaskOutput',
    'TaskUpdate',
    'TodoWrite',
    'ToolSearch',
  ],
  own: /^mcp__(plugin_countersign_countersign|countersign(_run)?)__(state|workflow)_[a-z]+$/,
  shell: 'Bash',
};
