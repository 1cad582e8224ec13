// Tools on single locations: top-level members as keys with their own versions, and the atomic operators.
import { Type } from 'typebox';
import { ok, invalidMember, type ErrorCode, type Result } from '../../domain/errors.js';
import { isJsonArray, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { isLongerThan } from '../../domain/json/text-size.js';
import { formatPointer, valueAt } from '../../domain/json/pointer.js';
import type { KeyWritten } from '../../ports/api/index.js';
import type { KeyReplaceOptions } from '../../ports/key-service.js';
import { boundedValue } from '../bounded-value.js';
import { peek, sessionOf, stateOf } from '../targets.js';
import { ADDS, READS, REPLACES, tool, type ToolOutput, type Tool, type ToolCall } from '../tool.js';
import * as f from './fields.js';

const KeyName = Type.String({ minLength: 1, maxLength: 512, description: 'Top-level member' });
const IfVersion = f.maybe(f.count("Only if this is the key's version"));
const KeyChanged = f.answer({
  key: f.Text,
  changed: f.Flag,
  version: f.maybe(f.Count),
});

const stateGet = tool({
  name: 'state_get',
  description:
    'Use to read one top-level key of the shared state with its own version, or to list the keys when you name none.',
  input: f.args({ key: f.maybe(KeyName), state_id: f.StateId, full: f.Full }),
  output: f.answer({
    key: f.maybe(f.Text),
    version: f.maybe(f.Count),
    keys: f.maybe(f.AnyObject),
    global_version: f.Count,
    ...f.boundedValue,
    complete: f.maybe(f.Flag),
  }),
  annotations: READS,
  example: { key: 'tasks' },
  run: async ({ key, state_id, full = false }, call) => {
    if (key === undefined) return keyList(call, state_id);
    const session = await sessionOf(call, state_id);
    if (!session.ok) return session;
    const bound = call.limits.mcpValueCharactersMax;
    const large = full ? null : await tooLarge(call, state_id, key, bound);
    if (large?.ok === false) return large;
    if (large?.value != null) return ok(large.value);
    const found = await call.service.keys.get(session.value, key);
    if (!found.ok) return found;
    const { value, version, updated_by, global_version } = found.value;
    return ok({ key, version, updated_by, global_version, complete: true, value });
  },
});

/** Key names and sizes, without values. */
async function keyList(call: ToolCall, stateId: string | undefined): Promise<Result<ToolOutput>> {
  const state = await stateOf(call, stateId);
  const seen = state.ok ? await peek(call, state.value) : state;
  if (!seen.ok) return seen;
  const { version, current_data } = seen.value;
  const keys: Record<string, string> = {};
  for (const [name, value] of Object.entries(current_data)) {
    keys[name] = `${String(JSON.stringify(value).length)} characters`;
  }
  return ok({ global_version: version, keys });
}

/** The outline of a key that is too large to show; `null` if it may be read. */
async function tooLarge(
  call: ToolCall,
  stateId: string | undefined,
  key: string,
  bound: number,
): Promise<Result<ToolOutput | null>> {
  const state = await stateOf(call, stateId);
  const seen = state.ok ? await peek(call, state.value) : state;
  if (!seen.ok) return seen;
  const pointer = formatPointer([key]);
  const present = valueAt(seen.value.current_data, pointer);
  if (present === undefined || !isLongerThan(present, bound)) return ok(null);
  return ok({ key, global_version: seen.value.version, ...boundedValue(present, pointer, bound) });
}

function changed(result: Result<KeyWritten>): Result<ToolOutput> {
  if (!result.ok) return result;
  const { key, changed: did, version, global_version, merged, warnings } = result.value;
  return ok({
    key,
    changed: did,
    ...(version === undefined ? {} : { version }),
    global_version,
    ...(merged === undefined ? {} : { merged }),
    ...(warnings === undefined ? {} : { warnings }),
  });
}

/** The session does not know the key: it has read nothing, or nothing with this key. */
const UNREAD: readonly ErrorCode[] = ['base_unknown', 'patch_failed'];

/**
 * Writes a key on what the session last read of it, so that what others changed in it since is kept. A session that
 * does not know the key, and a caller that is no session, have no such base. A repeated call finds the idempotency
 * record of the write without a base; its first request then differs (`idempotency_mismatch`).
 */
async function onLastRead(
  { caller }: ToolCall,
  ifVersion: number | undefined,
  write: (options: KeyReplaceOptions) => Promise<Result<KeyWritten>>,
): Promise<Result<ToolOutput>> {
  if (ifVersion !== undefined || caller.isNoSession === true)
    return changed(await write({ ifMatch: ifVersion }));
  const result = await write({ baseVersion: 'last_read', onConflict: 'merge' });
  const isRetryable = !result.ok && [...UNREAD, 'idempotency_mismatch'].includes(result.failure.error);
  return changed(isRetryable ? await write({}) : result);
}

const stateSet = tool({
  name: 'state_set',
  description:
    'Use to set one top-level key of the shared state, whatever others do with the other keys. What others changed in it since you read it is merged in, or refused where you both did.',
  input: f.args({
    key: KeyName,
    value: f.value('Its new value'),
    if_version: IfVersion,
    state_id: f.StateId,
  }),
  output: KeyChanged,
  annotations: REPLACES,
  example: { key: 'review', value: { verdict: 'pass' } },
  run: async ({ key, value, if_version, state_id }, call) => {
    const session = await sessionOf(call, state_id);
    if (!session.ok) return session;
    return onLastRead(call, if_version, (options) =>
      call.service.keys.set(session.value, key, value, options),
    );
  },
});

const stateDelete = tool({
  name: 'state_delete',
  description: 'Use to remove one top-level key from the shared state.',
  input: f.args({ key: KeyName, if_version: IfVersion, state_id: f.StateId }),
  output: KeyChanged,
  annotations: REPLACES,
  example: { key: 'draft' },
  run: async ({ key, if_version, state_id }, call) => {
    const session = await sessionOf(call, state_id);
    if (!session.ok) return session;
    return onLastRead(call, if_version, (options) => call.service.keys.remove(session.value, key, options));
  },
});

const address = { key: f.maybe(KeyName), pointer: f.maybe(f.Pointer), state_id: f.StateId };

/** The pointer that an operator applies to, from a key or a pointer. */
function locationOf(key: string | undefined, pointer: string | undefined): Result<string> {
  if (key !== undefined && pointer === undefined) return ok(formatPointer([key]));
  if (key === undefined && pointer !== undefined) return ok(pointer);
  return invalidMember(
    '/key',
    'exactly one of key and pointer says the place',
    'key, or pointer for a deeper place',
  );
}

/** An atomic operator applies to the document as it is when the write executes, so no read is needed before. */
async function operate(
  call: ToolCall,
  { key, pointer, state_id }: { key?: string; pointer?: string; state_id?: string },
  operator: { readonly op: string; readonly [name: string]: JsonValue },
): Promise<Result<ToolOutput>> {
  const at = locationOf(key, pointer);
  if (!at.ok) return at;
  const state = await stateOf(call, state_id);
  if (!state.ok) return state;
  const result = await call.service.states.ops(state.value, [{ ...operator, pointer: at.value }], {});
  if (!result.ok) return result;
  const { version, changed: did, current_data, warnings } = result.value;
  const value = valueAt(current_data, writtenAt(current_data, at.value)) ?? null;
  const size = Array.isArray(value) ? { length: value.length } : { value };
  return ok({
    state_id: state.value,
    version,
    changed: did,
    ...size,
    ...(warnings === undefined ? {} : { warnings }),
  });
}

/** Where an operator has written: a pointer that ends in `-` means behind the last item, which is the last one now. */
function writtenAt(document: JsonObject, pointer: string): string {
  if (!pointer.endsWith('/-')) return pointer;
  const list = valueAt(document, pointer.slice(0, -2));
  return isJsonArray(list) ? `${pointer.slice(0, -1)}${String(list.length - 1)}` : pointer;
}

const Operated = f.answer({
  version: f.Count,
  changed: f.Flag,
  value: f.maybe(f.Any),
  length: f.maybe(f.Count),
});

const stateIncrement = tool({
  name: 'state_increment',
  description:
    'Use to add to a number in the shared state that others count on too. No reading is needed before.',
  input: f.args({ ...address, delta: f.maybe(Type.Number({ description: 'Default 1' })) }),
  output: Operated,
  annotations: ADDS,
  example: { pointer: '/progress/done', delta: 1 },
  run: ({ delta = 1, ...where }, call) => operate(call, where, { op: 'increment', delta }),
});

const stateAppend = tool({
  name: 'state_append',
  description: 'Use to add items to the end of an array in the shared state that others append to as well.',
  input: f.args({ ...address, items: Type.Array(f.Any) }),
  output: Operated,
  annotations: ADDS,
  example: { key: 'findings', items: [{ file: 'a.ts', note: 'unused import' }] },
  run: ({ items, ...where }, call) => operate(call, where, { op: 'append', items }),
});

export const keyTools: readonly Tool[] = [stateGet, stateSet, stateDelete, stateIncrement, stateAppend];
