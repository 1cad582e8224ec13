// The definition of Gemini CLI.
import type { AgentClient } from '../client.js';
import { commandLine } from './cli.js';
import { hooks } from './hooks.js';
import { tools } from './tools.js';

export const gemini: AgentClient = {
  ...commandLine,
  name: 'gemini',
  title: 'Gemini CLI',
  refusalsInARowMax: null,
  hooks,
  tools,
  conversation: { variable: null, inherited: [], metaMember: null },
};
