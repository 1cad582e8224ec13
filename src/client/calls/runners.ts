// The calls of a runner over HTTP.
import { ok } from '../../domain/errors.js';
import * as api from '../../ports/api/index.js';
import type { RunnerService } from '../../ports/service.js';
import { get, post } from '../transport/call.js';
import { parseReply, type Transport } from '../transport/transport.js';

const Runners = api.PageOf(api.RunnerView);

export function runnerCalls({ sendRequest, send, sendForNothing }: Transport): RunnerService {
  const report = (runId: string, what: string, body: unknown) =>
    send(api.RunView, { ...post('runner', 'runs', runId, what), body });
  return {
    register: (body) => send(api.RunnerRegistered, { ...post('runner', 'register'), body }),
    list: (query = {}) => send(Runners, { ...get('runners'), query }),
    remove: (runnerId) => sendForNothing({ method: 'DELETE', path: ['runners', runnerId] }),
    poll: async ({ runnerId, waitMs, capacity }, signal) => {
      const waiting = (ms: number) => ({
        query: { runner_id: runnerId, wait: `${String(Math.ceil(ms))}ms`, capacity },
      });
      const path = ['runner', 'runs'];
      const result = await sendRequest({ method: 'GET', path, ...waiting(waitMs), waiting, waitMs, signal });
      if (!result.ok) return result;
      if (result.value.status === 204) return ok({ runs: [], stop_runs: [] });
      return ok(parseReply(api.RunnerWork, result.value));
    },
    heartbeat: (body, signal) => send(api.HeartbeatAnswer, { ...post('runner', 'heartbeat'), body, signal }),
    started: (runId, body) => report(runId, 'started', body),
    completed: (runId, body) => report(runId, 'completed', body),
    failed: (runId, body) => report(runId, 'failed', body),
    stopped: (runId, body) => report(runId, 'stopped', body),
  };
}
