// Session and completion calls over HTTP.
import * as api from '../../ports/api/index.js';
import type { SessionService } from '../../ports/service.js';
import { get, post } from '../transport/call.js';
import type { Transport } from '../transport/transport.js';

const Sessions = api.PageOf(api.SessionView);
const Completions = api.PageOf(api.CompletionListed);

export function sessionCalls({ send, sendForNothing }: Transport): SessionService {
  return {
    create: (body) => send(api.SessionCreated, { ...post('sessions'), body: { ...body } }),
    list: (query) => send(Sessions, { ...get('sessions'), query }),
    get: (session) => send(api.SessionView, get('sessions', session)),
    tree: (session) => send(api.SessionTree, get('sessions', session, 'tree')),
    result: (session) => send(api.SessionResult, get('sessions', session, 'result')),
    state: (session) => send(api.StateEnvelope, get('sessions', session, 'workflow-state')),
    // Needs an idempotency key: between two attempts another session may take over the name.
    remove: (session, { cascade = false } = {}) =>
      sendForNothing({
        method: 'DELETE',
        path: ['sessions', session],
        keyed: true,
        ...(cascade ? { query: { cascade } } : {}),
      }),
    report: (session, event) =>
      send(api.SessionEventAnswer, { ...post('sessions', session, 'events'), body: event }),
    stop: (session, body) => send(api.SessionView, { ...post('sessions', session, 'stop'), body }),
    completions: (query) => send(Completions, { ...get('completions'), query }),
    completion: (session) => send(api.CompletionView, get('sessions', session, 'completion')),
    skip: (session, body) =>
      send(api.CompletionView, { ...post('sessions', session, 'completion', 'skip'), body }),
    retry: (session, body) =>
      send(api.CompletionView, { ...post('sessions', session, 'completion', 'retry'), body }),
    pullCallbacks: (session, waitMs, signal) => {
      const waiting = (ms: number) => ({ query: { wait: `${String(Math.ceil(ms))}ms` } });
      return send(api.PulledCallbacks, {
        ...get('sessions', session, 'callbacks'),
        ...waiting(waitMs),
        waiting,
        waitMs,
        signal,
      });
    },
  };
}
