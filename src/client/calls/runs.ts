// Run calls over HTTP.
import * as api from '../../ports/api/index.js';
import type { RunService } from '../../ports/service.js';
import type { Transport } from '../transport/transport.js';

const Runs = api.PageOf(api.RunView);

export function runCalls({ send }: Transport): RunService {
  return {
    create: (body) => send(api.RunView, { method: 'POST', path: ['runs'], body }),
    list: (query) => send(Runs, { method: 'GET', path: ['runs'], query }),
    get: (runId) => send(api.RunView, { method: 'GET', path: ['runs', runId] }),
    stop: (runId, body) => send(api.RunView, { method: 'POST', path: ['runs', runId, 'stop'], body }),
  };
}
