// The definition of opencode.
import type { AgentClient } from '../client.js';
import { commandLine } from './cli.js';
import { hooks } from './hooks.js';

export const opencode: AgentClient<'opencode'> = {
  ...commandLine,
  name: 'opencode',
  title: 'opencode',
  refusalsInARowMax: null,
  hooks,
  settings: () => import('./settings.js').then(({ settings }) => settings),
  tools: {
    readOnly: ['glob', 'grep', 'list', 'question', 'read', 'todoread', 'todowrite'],
    own: /^countersign_(run_)?(state|workflow)_[a-z]+$/,
    shell: 'bash',
  },
  conversation: { variable: null, inherited: [], metaMember: null, toolCallMember: null },
};
