// The key view over HTTP.
import { accepted } from '../../domain/errors.js';
import * as api from '../../ports/api/index.js';
import type { KeyService, KeyWriteOptions } from '../../ports/key-service.js';
import { parseAnswer, type Transport } from '../transport.js';

export function keyCalls({ send, exchange }: Transport): KeyService {
  const at = (session: string, ...path: readonly string[]) => ['sessions', session, 'state', ...path];
  return {
    open: (session, body) => send(api.StateEnvelope, { method: 'POST', path: at(session), body }),
    all: (session) => send(api.KeysView, { method: 'GET', path: at(session) }),
    get: (session, key) => send(api.KeyView, { method: 'GET', path: at(session, 'keys', key) }),
    set: (session, key, value, options) =>
      send(api.KeyWritten, {
        method: 'PUT',
        path: at(session, 'keys', key),
        body: { value },
        ...expects(options),
      }),
    remove: (session, key, options) =>
      send(api.KeyWritten, {
        method: 'DELETE',
        path: at(session, 'keys', key),
        keyed: true,
        ...expects(options),
      }),
    operate: (session, key, operation, options) =>
      send(api.KeyWritten, {
        method: 'POST',
        path: at(session, 'keys', key, 'ops'),
        body: operation,
        ...expects(options),
      }),
    batch: (session, body) => send(api.KeyBatchResult, { method: 'POST', path: at(session, 'batch'), body }),
    events: (session, query) => send(api.KeyEventList, { method: 'GET', path: at(session, 'events'), query }),
    append: async (session, event) => {
      const answer = await exchange({ method: 'POST', path: at(session, 'events'), body: event });
      if (!answer.ok) return answer;
      return event.type === 'full_replace'
        ? accepted(parseAnswer(api.StateWritten, answer.value))
        : accepted(parseAnswer(api.KeyWritten, answer.value));
    },
  };
}

function expects({ ifMatch, ofState, ifAbsent }: KeyWriteOptions = {}): {
  readonly headers: Readonly<Record<string, string>>;
} {
  if (ifAbsent === true) return { headers: { 'if-none-match': '*' } };
  if (ifMatch === undefined) return { headers: {} };
  const tag = ofState === undefined ? String(ifMatch) : `${String(ifMatch)}.${ofState}`;
  return { headers: { 'if-match': `"${tag}"` } };
}
