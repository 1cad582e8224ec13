// Workflow state calls over HTTP.
import * as api from '../../ports/api/index.js';
import type { WaitOptions, StateService, WriteOptions } from '../../ports/service.js';
import { get, post } from '../transport/call.js';
import type { Transport } from '../transport/transport.js';

/**
 * Longest wait that fits the `wait` query parameter (six digits), milliseconds. The service applies its own
 * lower limit.
 */
const WAIT_MS_MAX = 999_999;

const States = api.PageOf(api.StateSummary);

export function stateCalls({ send, sendForNothing }: Transport): StateService {
  return {
    create: (body) => send(api.StateEnvelope, { ...post('workflow-states'), body }),
    list: (query) => send(States, { ...get('workflow-states'), query }),
    get: (stateId, atVersion, wait) => send(api.StateRead, read(stateId, { at_version: atVersion }, wait)),
    getAt: (stateId, pointer, atVersion, wait) =>
      send(api.StateReadAtPointer, read(stateId, { pointer, at_version: atVersion }, wait)),
    wait: (stateId, body, signal) =>
      send(api.StateWaited, {
        ...post('workflow-states', stateId, 'wait'),
        body,
        waitMs: body.timeout_ms ?? 0,
        waiting: (waitMs) => ({ body: { ...body, timeout_ms: Math.ceil(waitMs) } }),
        safe: true,
        signal,
      }),
    replace: (stateId, data, options) =>
      send(api.StateWritten, {
        ...write('PUT', stateId, options),
        body: { data, ...expected(options) },
      }),
    patch: (stateId, operations, options) =>
      send(api.StateWritten, {
        ...write('PATCH', stateId, options),
        body: { operations, ...expected(options) },
      }),
    // The body is the merge patch itself, so the expected version goes into `If-Match` and the base into the
    // query.
    mergePatch: (stateId, patch, given) => {
      const { expectedVersion, ifMatch = expectedVersion, ...options } = { ...given };
      const call = write('PATCH', stateId, { ...options, ifMatch });
      const { baseVersion, onConflict } = options;
      return send(api.StateWritten, {
        ...call,
        query: { ...call.query, base_version: baseVersion, on_conflict: onConflict },
        body: patch,
        contentType: 'application/merge-patch+json',
      });
    },
    ops: (stateId, operations, options) =>
      send(api.StateWritten, {
        ...write('POST', stateId, options, 'ops'),
        body: { operations, expected_version: expected(options).expected_version },
      }),
    diff: (stateId, query) => send(api.StateDiff, { ...get('workflow-states', stateId, 'diff'), query }),
    revert: (stateId, toVersion, options) =>
      send(api.StateWritten, {
        ...write('POST', stateId, options, 'revert'),
        body: { to_version: toVersion, expected_version: expected(options).expected_version },
      }),
    migrate: (stateId, body, given) => {
      const { expectedVersion = body.expected_version, ...options } = { ...given };
      return send(api.StateWritten, {
        ...write('POST', stateId, options, 'migrate'),
        body: { ...body, expected_version: expectedVersion },
      });
    },
    events: (stateId, query) => send(api.EventList, { ...get('workflow-states', stateId, 'events'), query }),
    remove: (stateId, options) =>
      sendForNothing({ method: 'DELETE', path: ['workflow-states', stateId], headers: conditions(options) }),
  };
}

function read(
  stateId: string,
  query: { pointer?: string; at_version: number | undefined },
  { afterVersion, waitMs, signal }: Partial<WaitOptions> = {},
) {
  const asked = (ms: number | undefined) => ({
    ...query,
    after_version: afterVersion,
    wait: ms === undefined ? undefined : `${String(Math.min(Math.ceil(ms), WAIT_MS_MAX))}ms`,
  });
  return {
    ...get('workflow-states', stateId),
    query: asked(waitMs),
    waiting: (ms: number) => ({ query: asked(waitMs === undefined ? undefined : ms) }),
    waitMs: waitMs ?? 0,
    signal,
  } as const;
}

// The options default to none: plain JavaScript callers and callers of the class `Countersign` may omit them.

function expected({ expectedVersion, baseVersion, onConflict }: WriteOptions = {}) {
  return { expected_version: expectedVersion, base_version: baseVersion, on_conflict: onConflict };
}

function conditions({ ifMatch, ifNoneMatch }: Pick<WriteOptions, 'ifMatch' | 'ifNoneMatch'> = {}) {
  return {
    ...(ifMatch === undefined ? {} : { 'if-match': listOf(ifMatch) }),
    ...(ifNoneMatch === undefined
      ? {}
      : { 'if-none-match': ifNoneMatch === '*' ? '*' : listOf(ifNoneMatch) }),
  };
}

/** An empty list must never match, so it is sent as an empty tag, which no state has. */
function listOf(versions: number | readonly number[]): string {
  const list = typeof versions === 'number' ? [versions] : versions;
  return list.length === 0 ? '""' : list.map((version) => `"${String(version)}"`).join(', ');
}

function write(
  method: 'PUT' | 'PATCH' | 'POST',
  stateId: string,
  { ifMatch, ifNoneMatch, dryRun }: WriteOptions = {},
  ...under: readonly string[]
) {
  return {
    method,
    path: ['workflow-states', stateId, ...under],
    query: { dry_run: dryRun === true ? true : undefined },
    headers: conditions({ ifMatch, ifNoneMatch }),
    safe: dryRun === true,
  };
}
