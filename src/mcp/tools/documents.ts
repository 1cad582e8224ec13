// Tools on the whole document: create, read, replace, patch, and read its schema.
import { Type } from 'typebox';
import { ok, fail, type Result } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json/json.js';
import { isLongerThan } from '../../domain/json/text-size.js';
import { valueAt } from '../../domain/json/pointer.js';
import type { StateWritten } from '../../ports/api/index.js';
import type { WriteOptions } from '../../ports/service.js';
import { boundedValue } from '../bounded-value.js';
import { peek, stateOf } from '../targets.js';
import { ADDS, CHANGES, READS, REPLACES, tool, type ToolOutput, type Tool, type ToolCall } from '../tool.js';
import * as f from './fields.js';

const stateCreate = tool({
  name: 'state_create',
  description:
    'Use once, as the root, to give your tree its shared workflow state before you start children. The document must satisfy the registered workflow schema; json_schema registers one first.',
  input: f.args({
    schema_name: f.text('Name of the workflow schema'),
    initial_data: Type.Unsafe<JsonValue>({ type: 'object', description: 'The first document' }),
    schema_version: f.maybe(f.count('Default: the latest')),
    json_schema: f.maybe(
      Type.Unsafe<JsonValue>({ type: 'object', description: 'Registered first under schema_name' }),
    ),
    root_session_name: f.maybe(f.text('Root session; default: you, or a new external one')),
  }),
  output: f.answer({
    state_id: f.Text,
    version: f.Count,
    root_session_name: f.Text,
  }),
  annotations: ADDS,
  example: { schema_name: 'plan', json_schema: { type: 'object' }, initial_data: { tasks: [] } },
  run: async ({ json_schema, ...body }, { service }) => {
    let schemaVersion = body.schema_version;
    if (json_schema !== undefined) {
      const registered = await service.schemas.register({ name: body.schema_name, json_schema });
      if (!registered.ok) return registered;
      schemaVersion = registered.value.schema.version;
    }
    const created = await service.states.create({
      ...body,
      ...(schemaVersion === undefined ? {} : { schema_version: schemaVersion }),
    });
    if (!created.ok) return created;
    const { state_id, version, schema_name, schema_version, root_session_id, root_session_name } =
      created.value;
    return ok({ state_id, version, schema_name, schema_version, root_session_id, root_session_name });
  },
});

const stateRead = tool({
  name: 'state_read',
  description:
    'Use before you write, to see the shared state or a part of it. A part too large to show comes as an outline with the pointers to read next.',
  input: f.args({
    pointer: f.maybe(f.Pointer),
    state_id: f.StateId,
    at_version: f.maybe(f.count('A past version')),
    full: f.Full,
  }),
  output: f.answer({ version: f.Count, schema_name: f.maybe(f.Text), ...f.boundedValue }),
  annotations: READS,
  example: { pointer: '/tasks' },
  run: async ({ pointer = '', state_id, at_version, full = false }, call) => {
    const state = await stateOf(call, state_id);
    if (!state.ok) return state;
    const bound = call.limits.mcpValueCharactersMax;
    const reading = () => readAt(call, state.value, pointer, at_version);
    if (full || at_version !== undefined) {
      const read = await reading();
      if (!read.ok) return read;
      const { value, ...rest } = read.value;
      return ok({ ...rest, ...boundedValue(value, pointer, bound, full) });
    }
    const seen = await peek(call, state.value);
    if (!seen.ok) return seen;
    const { version, schema_name, current_data } = seen.value;
    const present = valueAt(current_data, pointer);
    if (present !== undefined && isLongerThan(present, bound)) {
      return ok({
        state_id: state.value,
        version,
        schema_name,
        ...boundedValue(present, pointer, bound),
      });
    }
    // This read moves the read cursor: the session's next writes are merged on this version.
    const read = await reading();
    if (!read.ok) return read;
    const { value, ...rest } = read.value;
    return ok({ ...rest, schema_name, ...boundedValue(value, pointer, bound, true) });
  },
});

interface ReadValue {
  readonly state_id: string;
  readonly version: number;
  readonly value: JsonValue;
}

async function readAt(
  { service }: ToolCall,
  stateId: string,
  pointer: string,
  atVersion: number | undefined,
): Promise<Result<ReadValue>> {
  if (pointer === '') {
    const read = await service.states.get(stateId, atVersion);
    if (!read.ok) return read;
    return ok({ state_id: stateId, version: read.value.version, value: read.value.current_data });
  }
  const read = await service.states.getAt(stateId, pointer, atVersion);
  if (!read.ok) return read;
  return ok({ state_id: stateId, version: read.value.version, value: read.value.value });
}

/** Merges, because agents take minutes between reading and writing: writes of others in between are kept. */
function onBase(baseVersion: number | undefined, dryRun: boolean | undefined): WriteOptions {
  return { baseVersion: baseVersion ?? 'last_read', onConflict: 'merge', dryRun };
}

function written(result: Result<StateWritten>): Result<ToolOutput> {
  if (!result.ok) return result;
  const { state_id, version, changed, merged, warnings } = result.value;
  return ok({
    state_id,
    version,
    changed,
    ...(merged === undefined ? {} : { merged }),
    ...(warnings === undefined ? {} : { warnings }),
  });
}

const stateUpdate = tool({
  name: 'state_update',
  description:
    'Use to replace the whole document of the shared state. Read it first; what others wrote since your reading is merged in, and only a place that both changed is refused.',
  input: f.args({
    data: Type.Unsafe<JsonValue>({ type: 'object', description: 'The whole new document' }),
    state_id: f.StateId,
    base_version: f.BaseVersion,
    dry_run: f.DryRun,
  }),
  output: f.Written,
  annotations: REPLACES,
  example: { data: { tasks: [{ title: 'first', done: true }] } },
  run: async ({ data, state_id, base_version, dry_run }, call) => {
    const state = await stateOf(call, state_id);
    if (!state.ok) return state;
    return written(await call.service.states.replace(state.value, data, onBase(base_version, dry_run)));
  },
});

const statePatch = tool({
  name: 'state_patch',
  description:
    'Use to record a result in your part of the shared state without touching the rest. Takes JSON Patch operations (RFC 6902), all or none.',
  input: f.args({
    operations: Type.Array(f.AnyObject, { description: '[{"op":"add","path":"/a","value":1}]' }),
    state_id: f.StateId,
    base_version: f.BaseVersion,
    dry_run: f.DryRun,
  }),
  output: f.Written,
  annotations: CHANGES,
  example: { operations: [{ op: 'add', path: '/review', value: { verdict: 'pass' } }] },
  run: async ({ operations, state_id, base_version, dry_run }, call) => {
    const state = await stateOf(call, state_id);
    if (!state.ok) return state;
    const { states } = call.service;
    if (base_version === undefined && call.caller.isNoSession === true) {
      return written(await states.patch(state.value, operations, { dryRun: dry_run }));
    }
    const result = await states.patch(state.value, operations, onBase(base_version, dry_run));
    // A session that has read nothing has no outdated base: its operations name their locations themselves. A
    // repeated call finds the idempotency record of the write without a base; by then the session has a base, so
    // the first request differs (`idempotency_mismatch`).
    const isRetryable = !result.ok && ['base_unknown', 'idempotency_mismatch'].includes(result.failure.error);
    if (!isRetryable || base_version !== undefined) return written(result);
    return written(await states.patch(state.value, operations, { dryRun: dry_run }));
  },
});

const stateSchema = tool({
  name: 'state_schema',
  description:
    'Use to learn which documents the shared state accepts, before you write or after a refusal. Gives the JSON Schema, or the part of it at a pointer.',
  input: f.args({
    pointer: f.maybe(f.Pointer),
    state_id: f.StateId,
    schema_name: f.maybe(f.text('In place of a state')),
    schema_version: f.maybe(f.count('Default: that of the state, or the latest')),
    full: f.Full,
  }),
  output: f.answer({ schema_name: f.Text, schema_version: f.Count, ...f.boundedValue }),
  annotations: READS,
  example: { pointer: '/properties/tasks' },
  run: async ({ pointer = '', state_id, schema_name, schema_version, full = false }, call) => {
    const named =
      schema_name === undefined ? await bindingOf(call, state_id) : ok({ schema_name, schema_version });
    if (!named.ok) return named;
    const requested = schema_version ?? named.value.schema_version;
    const schema = await call.service.schemas.get(named.value.schema_name, requested);
    if (!schema.ok) return schema;
    const { name, version, json_schema } = schema.value;
    const part = valueAt(json_schema, pointer);
    if (part === undefined) return nothingAt(pointer, name);
    const bounded = boundedValue(part, pointer, call.limits.mcpValueCharactersMax, full);
    return ok({ schema_name: name, schema_version: version, pointer, ...bounded });
  },
});

async function bindingOf(
  call: ToolCall,
  stateId: string | undefined,
): Promise<Result<{ schema_name: string; schema_version: number | undefined }>> {
  const state = await stateOf(call, stateId);
  return state.ok ? peek(call, state.value) : state;
}

function nothingAt(pointer: string, schemaName: string) {
  return fail('pointer_not_found', `The schema ${schemaName} has nothing at ${pointer}.`, { pointer });
}

export const documentTools: readonly Tool[] = [stateCreate, stateRead, stateUpdate, statePatch, stateSchema];
