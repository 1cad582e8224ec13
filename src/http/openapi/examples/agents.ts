// Examples of the operations on agents. Recorded: see index.ts.
import type { Examples } from './example.js';

const AGENT = {
  name: 'reviewer',
  status: 'ready',
  description: 'Reviews a change',
  executor: 'claude-code',
  model: 'sonnet',
  mcp_servers: [],
  project_dir: null,
  timeout_ms: null,
  delivery: null,
  demands: {},
  completion: {},
  errors: [],
};

export const AGENTS: Examples = {
  listAgents: { query: { limit: 10 }, status: 200, answer: { items: [AGENT], next_cursor: null } },
  getAgent: { path: { name: 'reviewer' }, status: 200, answer: { ...AGENT, system_prompt: null } },
};
