// Session and completion calls over HTTP.
import * as api from '../../ports/api/index.js';
import type { SessionService } from '../../ports/service.js';
import type { Transport } from '../transport/transport.js';

const Sessions = api.PageOf(api.SessionView);
const Completions = api.PageOf(api.CompletionListed);

export function sessionCalls({ send, sendForNothing }: Transport): SessionService {
  const get = (...path: string[]) => ({ method: 'GET', path: ['sessions', ...path] }) as const;
  const post = (...path: string[]) => ({ method: 'POST', path: ['sessions', ...path] }) as const;
  return {
    create: (body) => send(api.SessionCreated, { ...post(), body: { ...body } }),
    list: (query) => send(Sessions, { ...get(), query }),
    get: (session) => send(api.SessionView, get(session)),
    tree: (session) => send(api.SessionTree, get(session, 'tree')),
    result: (session) => send(api.SessionResult, get(session, 'result')),
    state: (session) => send(api.StateEnvelope, get(session, 'workflow-state')),
    // Needs an idempotency key: between two attempts another session may take over the name.
    remove: (session, { cascade = false } = {}) =>
      sendForNothing({
        method: 'DELETE',
        path: ['sessions', session],
        keyed: true,
        ...(cascade ? { query: { cascade } } : {}),
      }),
    report: (session, event) => send(api.SessionEventAnswer, { ...post(session, 'events'), body: event }),
    stop: (session, body) => send(api.SessionView, { ...post(session, 'stop'), body }),
    completions: (query) => send(Completions, { method: 'GET', path: ['completions'], query }),
    completion: (session) => send(api.CompletionView, get(session, 'completion')),
    skip: (session, body) => send(api.CompletionView, { ...post(session, 'completion', 'skip'), body }),
    retry: (session, body) => send(api.CompletionView, { ...post(session, 'completion', 'retry'), body }),
    pullCallbacks: (session, waitMs, signal) => {
      const waiting = (ms: number) => ({ query: { wait: `${String(Math.ceil(ms))}ms` } });
      return send(api.PulledCallbacks, {
        ...get(session, 'callbacks'),
        ...waiting(waitMs),
        waiting,
        waitMs,
        signal,
      });
    },
  };
}
