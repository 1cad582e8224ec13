// Named-agent calls over HTTP.
import * as api from '../../ports/api/index.js';
import type { AgentService } from '../../ports/service.js';
import { get } from '../transport/call.js';
import type { Transport } from '../transport/transport.js';

const Agents = api.PageOf(api.AgentView);

export function agentCalls({ send }: Transport): AgentService {
  return {
    list: (query) => send(Agents, { ...get('agents'), query }),
    get: (name) => send(api.AgentDetail, get('agents', name)),
  };
}
