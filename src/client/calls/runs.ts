// Run calls over HTTP.
import * as api from '../../ports/api/index.js';
import type { RunService } from '../../ports/service.js';
import { get, post } from '../transport/call.js';
import type { Transport } from '../transport/transport.js';

const Runs = api.PageOf(api.RunView);

export function runCalls({ send }: Transport): RunService {
  return {
    create: (body) => send(api.RunView, { ...post('runs'), body }),
    list: (query) => send(Runs, { ...get('runs'), query }),
    get: (runId) => send(api.RunView, get('runs', runId)),
    stop: (runId, body) => send(api.RunView, { ...post('runs', runId, 'stop'), body }),
  };
}
