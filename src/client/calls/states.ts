// Workflow states over HTTP.
import * as api from '../../ports/api/index.js';
import type { NewsOptions, StateService, WriteOptions } from '../../ports/service.js';
import type { Transport } from '../transport.js';

/** What the query can carry; the service cuts it further. */
const WAIT_MS_MAX = 999_999;

const States = api.PageOf(api.StateSummary);

export function stateCalls({ send, sendForNothing }: Transport): StateService {
  return {
    create: (body) => send(api.StateEnvelope, { method: 'POST', path: ['workflow-states'], body }),
    list: (query) => send(States, { method: 'GET', path: ['workflow-states'], query }),
    get: (stateId, atVersion, news) => send(api.StateRead, read(stateId, { at_version: atVersion }, news)),
    getAt: (stateId, pointer, atVersion, news) =>
      send(api.StateReadAtPointer, read(stateId, { pointer, at_version: atVersion }, news)),
    wait: (stateId, body, signal) =>
      send(api.StateWaited, {
        method: 'POST',
        path: ['workflow-states', stateId, 'wait'],
        body,
        waitMs: body.timeout_ms ?? 0,
        signal,
      }),
    replace: (stateId, data, options) =>
      send(api.StateWritten, {
        ...write('PUT', stateId, options),
        body: { data, expected_version: options.expectedVersion },
      }),
    patch: (stateId, operations, options) =>
      send(api.StateWritten, {
        ...write('PATCH', stateId, options),
        body: { operations, expected_version: options.expectedVersion },
      }),
    // A merge patch is its whole body; the version that it expects can only go into the header.
    mergePatch: (stateId, patch, { expectedVersion, ifMatch = expectedVersion, dryRun }) =>
      send(api.StateWritten, {
        ...write('PATCH', stateId, { ifMatch, dryRun }),
        body: patch,
        contentType: 'application/merge-patch+json',
      }),
    migrate: (stateId, body, { expectedVersion = body.expected_version, ...options }) =>
      send(api.StateWritten, {
        ...write('POST', stateId, options, 'migrate'),
        body: { ...body, expected_version: expectedVersion },
      }),
    events: (stateId, query) =>
      send(api.EventList, { method: 'GET', path: ['workflow-states', stateId, 'events'], query }),
    remove: (stateId) => sendForNothing({ method: 'DELETE', path: ['workflow-states', stateId] }),
  };
}

function read(
  stateId: string,
  query: { pointer?: string; at_version: number | undefined },
  { afterVersion, waitMs, signal }: Partial<NewsOptions> = {},
) {
  return {
    method: 'GET',
    path: ['workflow-states', stateId],
    query: {
      ...query,
      after_version: afterVersion,
      wait: waitMs === undefined ? undefined : `${String(Math.min(Math.ceil(waitMs), WAIT_MS_MAX))}ms`,
    },
    waitMs: waitMs ?? 0,
    signal,
  } as const;
}

function write(method: 'PUT' | 'PATCH' | 'POST', stateId: string, options: WriteOptions, ...below: string[]) {
  return {
    method,
    path: ['workflow-states', stateId, ...below],
    query: { dry_run: options.dryRun === true ? true : undefined },
    headers: options.ifMatch === undefined ? {} : { 'if-match': `"${options.ifMatch}"` },
  };
}
