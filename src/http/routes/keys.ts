// Routes of the key view. The ETag of a key holds its version and the state; that of all keys holds the state's
// version, the state, and a digest of the key versions.
import { Type, type Static } from 'typebox';
import { hash } from 'node:crypto';
import { ok, type ErrorCode, type Result } from '../../domain/errors.js';
import { formatPointer } from '../../domain/json/pointer.js';
import * as api from '../../ports/api/index.js';
import {
  STATE_VERSION_HEADER,
  type KeyReplaceOptions,
  type KeyWriteOptions,
} from '../../ports/key-service.js';
import type { RequestContext } from '../requests/request-context.js';
import { conditionalReply, keyConditions, tagWithin, type Validator } from '../preconditions.js';
import { answered, jsonReply, type Reply } from '../replies/reply.js';
import { endpoint } from '../endpoint.js';
import { ById, READ_CONDITIONS, type Route } from '../route.js';
import { warnedReply, warningHeaders } from '../replies/size-warning.js';
import { BASE_ERRORS, CREATE_ERRORS, CREATED, WRITE_ERRORS, createdState } from './shared/write.js';

const tag = 'Keys';
const STATE_VERSION = STATE_VERSION_HEADER.toLowerCase();
const OfKey = Type.Object({ id: api.Name, key: api.Key }, api.closed);
const headers = {
  'If-Match':
    'What is expected of the key: its `ETag`, or its version alone, as in "3"; one of several; * where it has to be there',
  'If-None-Match': 'What the key must not be; * where it must not be there yet',
};
const NOT_THERE: readonly ErrorCode[] = ['session_not_found', 'state_not_found'];
const ERRORS: readonly ErrorCode[] = [...WRITE_ERRORS, 'session_not_found'];

/** @param status - HTTP status of a write that created the key. */
async function written(
  context: RequestContext,
  run: (options: KeyWriteOptions) => Promise<Result<api.KeyWritten>>,
  status = 200,
): Promise<Result<Reply>> {
  const options = keyConditions(context);
  if (!options.ok) return options;
  const result = await run(options.value);
  if (!result.ok) return result;
  const { version, state_id: stateId, created } = result.value;
  const headers = version === undefined ? {} : { etag: tagWithin(version, stateId) };
  return ok(keyReply(created === true ? status : 200, result.value, headers));
}

function onBase(options: KeyWriteOptions, query: Static<typeof api.KeyBaseQuery>): KeyReplaceOptions {
  return { baseVersion: query.base_version, onConflict: query.on_conflict, ...options };
}

function keyReply(status: number, written: api.KeyWritten, headers: Reply['headers']): Reply {
  const reply = jsonReply(status, written, { ...warningHeaders(written.warnings), ...headers });
  if (written.value === undefined) return reply;
  const { state_id: stateId, global_version: version, key } = written;
  const inHistory = { body: written, member: 'value', stateId, version, pointer: formatPointer([key]) };
  return { inHistory, ...reply };
}

/**
 * ETag of all keys. It needs a digest: the reported age of a key may change while the state keeps its version
 * (see `KeyVersions`).
 */
function allTag({ global_version: version, state_id: stateId, keys }: api.KeysView): string {
  let facts = '';
  for (const [key, { version: at, updated_at: when, updated_by: by }] of Object.entries(keys)) {
    facts += `${JSON.stringify(key)} ${String(at)} ${when} ${String(by)}\n`;
  }
  const digest = hash('sha256', facts, 'base64url').slice(0, 12);
  return `"${String(version)}.${stateId}.${digest}"`;
}

const OF_STATE = ['X-Workflow-State-Version'];
const KNOWN = { description: 'The caller has this version', etag: true, headers: OF_STATE } as const;
const WRITTEN = {
  description: 'The key after the write',
  schema: api.KeyWritten,
  etag: true,
  headers: OF_STATE,
} as const;

export const keyRoutes: readonly Route[] = [
  endpoint({
    method: 'POST',
    path: '/sessions/{id}/state',
    operationId: 'openKeyState',
    summary: 'Open the state of a root session, on the schema `free-form` if none is named',
    tag,
    params: ById,
    answers: { 201: CREATED },
    errors: CREATE_ERRORS,
  }).json(api.KeyStateOpen, async ({ service, params, context }, body) =>
    createdState(context, await service.keys.open(params.id, body)),
  ),
  endpoint({
    method: 'GET',
    path: '/sessions/{id}/state',
    operationId: 'getKeys',
    summary: 'The top-level members of the document that the session shares, each with its version',
    tag,
    params: ById,
    headers: READ_CONDITIONS,
    answers: { 200: { description: 'All keys', schema: api.KeysView, etag: true }, 304: KNOWN },
    errors: [...NOT_THERE, 'version_conflict'],
  }).answer(async ({ service, params, context }) => {
    const result = await service.keys.all(params.id);
    if (!result.ok) return result;
    const { global_version: version, keys } = result.value;
    const pause = context.server.slices.yieldIfDue();
    if (pause !== undefined) await pause;
    const present = () => ({
      current_data: Object.fromEntries(Object.entries(keys).map(([key, { value }]) => [key, value])),
    });
    return conditionalReply(context, { tags: [allTag(result.value)], version, present }, (headers) =>
      jsonReply(200, result.value, headers),
    );
  }),
  endpoint({
    method: 'GET',
    path: '/sessions/{id}/state/keys/{key}',
    operationId: 'getKey',
    summary: 'One key',
    tag,
    params: OfKey,
    headers: READ_CONDITIONS,
    answers: {
      200: { description: 'The key', schema: api.KeyView, etag: true, headers: OF_STATE },
      304: KNOWN,
    },
    errors: [...NOT_THERE, 'key_not_found', 'version_conflict'],
  }).answer(async ({ service, params, context }) => {
    const result = await service.keys.get(params.id, params.key);
    if (!result.ok) return result;
    // The version of the state is not in the body: a key keeps its ETag when another key is written.
    const { global_version: global, ...view } = result.value;
    const { version, state_id: stateId, value } = view;
    const validator: Validator = {
      tags: [tagWithin(version, stateId)],
      version,
      present: () => ({ current_value: value }),
    };
    return conditionalReply(context, validator, (headers) =>
      jsonReply(200, view, { ...headers, [STATE_VERSION]: String(global) }),
    );
  }),
  endpoint({
    method: 'PUT',
    path: '/sessions/{id}/state/keys/{key}',
    operationId: 'setKey',
    summary: 'Set one key',
    tag,
    params: OfKey,
    query: api.KeyBaseQuery,
    headers,
    answers: { 200: WRITTEN, 201: { ...WRITTEN, description: 'The key was not there before' } },
    errors: [...ERRORS, ...BASE_ERRORS],
  }).json(api.KeyPut, ({ service, params, query, context }, body) =>
    written(
      context,
      (options) => service.keys.set(params.id, params.key, body.value, onBase(options, query)),
      201,
    ),
  ),
  endpoint({
    method: 'DELETE',
    path: '/sessions/{id}/state/keys/{key}',
    operationId: 'deleteKey',
    summary: 'Delete one key',
    tag,
    params: OfKey,
    query: api.KeyBaseQuery,
    headers,
    answers: { 200: { description: 'The key is gone', schema: api.KeyWritten, headers: OF_STATE } },
    errors: [...ERRORS, ...BASE_ERRORS, 'key_not_found', 'patch_failed'],
  }).answer(({ service, params, query, context }) =>
    written(context, (options) => service.keys.remove(params.id, params.key, onBase(options, query))),
  ),
  endpoint({
    method: 'POST',
    path: '/sessions/{id}/state/keys/{key}/ops',
    operationId: 'operateOnKey',
    summary: 'Apply an atomic operator to one key',
    tag,
    params: OfKey,
    headers,
    answers: { 200: WRITTEN },
    errors: [...ERRORS, 'patch_failed', 'key_type_mismatch'],
  }).json(api.KeyOperation, ({ service, params, context }, body) =>
    written(context, (options) => service.keys.operate(params.id, params.key, body, options)),
  ),
  endpoint({
    method: 'POST',
    path: '/sessions/{id}/state/batch',
    operationId: 'writeKeys',
    summary: 'Set and delete several keys: all of them or none',
    tag,
    params: ById,
    answers: { 200: { description: 'All were applied', schema: api.KeyBatchResult } },
    errors: ERRORS,
  }).json(api.KeyBatch, async ({ service, params }, body) =>
    warnedReply(await service.keys.batch(params.id, body)),
  ),
  endpoint({
    method: 'GET',
    path: '/sessions/{id}/state/events',
    operationId: 'listKeyEvents',
    summary: 'The history as what happened to each key, oldest first',
    tag,
    params: ById,
    query: api.EventQuery,
    answers: { 200: { description: 'Events with a version above `since`', schema: api.KeyEventList } },
    errors: [...NOT_THERE, 'version_compacted'],
  }).answer(async ({ service, params, query }) => answered(200, await service.keys.events(params.id, query))),
  endpoint({
    method: 'POST',
    path: '/sessions/{id}/state/events',
    operationId: 'appendKeyEvent',
    summary: 'A write, put as the event that it becomes',
    tag,
    params: ById,
    answers: {
      200: {
        description: 'The key after the write; the state for `full_replace`',
        anyOf: [api.KeyWritten, api.StateWritten],
      },
    },
    errors: [...ERRORS, ...BASE_ERRORS, 'key_not_found', 'patch_failed', 'key_type_mismatch'],
  }).json(api.KeyEventAppend, async ({ service, params, context }, body) => {
    const result = await service.keys.append(params.id, body);
    if (!result.ok) return result;
    const { value } = result;
    return ok(
      'key' in value
        ? keyReply(200, value, {})
        : context.server.stateReplies.stored(200, value, warningHeaders(value.warnings)),
    );
  }),
];
