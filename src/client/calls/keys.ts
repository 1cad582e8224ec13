// Key view calls over HTTP.
import { ok } from '../../domain/errors.js';
import * as api from '../../ports/api/index.js';
import {
  STATE_VERSION_HEADER,
  type KeyReplaceOptions,
  type KeyService,
  type KeyTag,
  type KeyWriteOptions,
} from '../../ports/key-service.js';
import { parseReply, type Transport } from '../transport/transport.js';

export function keyCalls({ send, sendRequest }: Transport): KeyService {
  const at = (session: string, ...path: readonly string[]) => ['sessions', session, 'state', ...path];
  return {
    open: (session, body) => send(api.StateEnvelope, { method: 'POST', path: at(session), body }),
    all: (session) => send(api.KeysView, { method: 'GET', path: at(session) }),
    get: async (session, key) => {
      const result = await sendRequest({ method: 'GET', path: at(session, 'keys', key) });
      if (!result.ok) return result;
      const view = parseReply(api.KeyView, result.value);
      const version = result.value.headers.get(STATE_VERSION_HEADER);
      return ok({ ...view, global_version: version === null ? view.version : Number(version) });
    },
    set: (session, key, value, options) =>
      send(api.KeyWritten, {
        method: 'PUT',
        path: at(session, 'keys', key),
        body: { value },
        ...onBase(options),
        ...expects(options),
      }),
    remove: (session, key, options) =>
      send(api.KeyWritten, {
        method: 'DELETE',
        path: at(session, 'keys', key),
        keyed: true,
        ...onBase(options),
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
      const result = await sendRequest({ method: 'POST', path: at(session, 'events'), body: event });
      if (!result.ok) return result;
      return event.type === 'full_replace'
        ? ok(parseReply(api.StateWritten, result.value))
        : ok(parseReply(api.KeyWritten, result.value));
    },
  };
}

function onBase({ baseVersion, onConflict }: KeyReplaceOptions = {}) {
  return { query: { base_version: baseVersion, on_conflict: onConflict } };
}

function expects({ ifMatch, ofState, ifAbsent, ifNoneMatch }: KeyWriteOptions = {}): {
  readonly headers: Readonly<Record<string, string>>;
} {
  const none = ifAbsent === true ? '*' : ifNoneMatch === undefined ? null : listOf(ifNoneMatch);
  const match = typeof ifMatch === 'number' ? tagOf(ifMatch, ofState) : ifMatch;
  return {
    headers: {
      ...(match === undefined ? {} : { 'if-match': typeof match === 'string' ? match : listOf(match) }),
      ...(none === null ? {} : { 'if-none-match': none }),
    },
  };
}

function tagOf(version: number, stateId: string | undefined): string {
  return stateId === undefined ? `"${String(version)}"` : `"${String(version)}.${stateId}"`;
}

/** An empty list must never match, so it is sent as an empty tag, which no key has. */
function listOf(tags: readonly KeyTag[]): string {
  return tags.length === 0 ? '""' : tags.map(({ version, stateId }) => tagOf(version, stateId)).join(', ');
}
