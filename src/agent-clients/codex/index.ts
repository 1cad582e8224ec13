// The definition of Codex.
import type { AgentClient } from '../client.js';
import { commandLine } from './cli.js';
import { hooks } from './hooks.js';
import { tools } from './tools.js';

export const codex: AgentClient = {
  ...commandLine,
  name: 'codex',
  title: 'Codex',
  refusalsInARowMax: null,
  hooks,
  tools,
  conversation: {
    variable: 'CODEX_THREAD_ID',
    inherited: ['CODEX_THREAD_ID', 'CODEX_SESSION_ID'],
    metaMember: 'threadId',
  },
};
