// Routes of named agents.
import { Type } from 'typebox';
import { AgentDetail, AgentView, closed, Name, PageOf, PageQuery } from '../../ports/api/index.js';
import { answered } from '../replies/reply.js';
import { endpoint } from '../endpoint.js';
import type { Route } from '../route.js';

const tag = 'Agents';

export const agentRoutes: readonly Route[] = [
  endpoint({
    method: 'GET',
    path: '/agents',
    operationId: 'listAgents',
    summary: 'Named agents that sessions can be started with',
    tag,
    query: PageQuery,
    answers: { 200: { description: 'Agents', schema: PageOf(AgentView) } },
  }).answer(async ({ service, query }) => answered(200, await service.agents.list(query))),
  endpoint({
    method: 'GET',
    path: '/agents/{name}',
    operationId: 'getAgent',
    summary: 'A named agent, with what is wrong with its file where it cannot be used',
    tag,
    params: Type.Object({ name: Name }, closed),
    answers: { 200: { description: 'The agent', schema: AgentDetail } },
    errors: ['agent_not_found'],
  }).answer(async ({ service, params }) => answered(200, await service.agents.get(params.name))),
];
