// The definition of Claude Code.
import type { AgentClient } from '../client.js';
import { commandLine } from './cli.js';
import { hooks } from './hooks.js';
import { tools } from './tools.js';

export const claudeCode: AgentClient = {
  ...commandLine,
  name: 'claude-code',
  title: 'Claude Code',
  refusalsInARowMax: 8,
  hooks,
  tools,
  conversation: { variable: 'CLAUDE_CODE_SESSION_ID', inherited: [], metaMember: null },
};
