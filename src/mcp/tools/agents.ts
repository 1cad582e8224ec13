// Tool for orchestrators: lists the named agents.
import { Type } from 'typebox';
import { ok } from '../../domain/errors.js';
import { listedPage } from '../listed-page.js';
import { READS, tool, type Tool } from '../tool.js';
import * as f from './fields.js';

const AGENTS_MAX = 100;

const listAgentBlueprints = tool({
  name: 'list_agent_blueprints',
  description: 'Use to choose an agent_name for start_agent_session.',
  input: f.args({ cursor: f.maybe(f.text('next_cursor of the page before')) }),
  output: f.answer({ agents: Type.Array(f.AnyObject) }),
  annotations: READS,
  example: {},
  run: async (query, { service }) => {
    const listed = await listedPage(() => service.agents.list({ ...query, limit: AGENTS_MAX }));
    if (!listed.ok) return listed;
    const ready = listed.value.items.filter((one) => one.status === 'ready');
    return ok({
      agents: ready.map(({ name, description, executor, model }) => ({ name, description, executor, model })),
      next_cursor: listed.value.next_cursor,
    });
  },
});

export const agentTools: readonly Tool[] = [listAgentBlueprints];
