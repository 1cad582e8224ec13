// The definition of opencode.
import type { AgentClient } from '../client.js';
import { commandLine } from './cli.js';
import { hooks } from './hooks.js';
import { tools } from './tools.js';

export const opencode: AgentClient = {
  ...commandLine,
  name: 'opencode',
  title: 'opencode',
  refusalsInARowMax: null,
  hooks,
  tools,
  conversation: { variable: null, inherited: [], metaMember: null },
};
