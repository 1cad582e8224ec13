// The definition of Claude Code.
import type { AgentClient } from '../client.js';
import { commandLine } from './cli.js';
import { hooks } from './hooks.js';

export const claudeCode: AgentClient<'claude-code'> = {
  ...commandLine,
  name: 'claude-code',
  title: 'Claude Code',
  refusalsInARowMax: 8,
  hooks,
  settings: () => import('./settings.js').then(({ settings }) => settings),
  tools: {
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
  },
  conversation: {
    variable: 'CLAUDE_CODE_SESSION_ID',
    inherited: [],
    metaMember: null,
    toolCallMember: 'claudecode/toolUseId',
  },
};
