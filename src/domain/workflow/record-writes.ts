// What a session's write may change of a workflow record when it is no operation of the workflow.
import { fail, ok, type Result } from '../errors.js';
import { jsonEqual, type JsonObject, type JsonValue } from '../json/json.js';
import { at, exists } from './operations.js';
import { declaresWorkflow, hasEnded, listOf, recordOf, type ListName } from './workflow.js';

/** True if a write changes the invocations or the list of archives: then `mayWriteRecord` decides. */
export function writesRecord(before: JsonObject, after: JsonObject, schema: JsonObject): boolean {
  const isSame = (name: ListName) => jsonEqual(itemsOf(before, name), itemsOf(after, name));
  return !(isSame('agent_history') && isSame('compaction_history')) && declaresWorkflow(schema);
}

/** A list as it stands, whatever its items are. An empty one is the same as none. */
function itemsOf(document: JsonObject, name: ListName): JsonValue {
  return recordOf(document)[name] ?? NONE;
}

const NONE: readonly JsonValue[] = [];

/**
 * An invocation that has ended stays as it is, and so does a hand-off that an invocation names. Only a compaction takes
 * invocations away and lists an archive.
 *
 * @returns Nothing; or `transition_refused`, or `workflow_entry_exists` for a second invocation with one id.
 */
export function mayWriteRecord(before: JsonObject, after: JsonObject): Result<null> {
  const archives = itemsOf(before, 'compaction_history');
  if (!jsonEqual(archives, itemsOf(after, 'compaction_history')))
    return refused(at('compaction_history'), 'is written by compactions only', archives);
  const [had, has] = [byId(before), byId(after)];
  for (const [id, present] of has) {
    if (typeof id === 'string' && present.length > Math.max(1, had.get(id)?.length ?? 0))
      return exists('invocation', id);
  }
  for (const [id, earlier] of had) {
    for (const [nth, { invocation: known }] of earlier.entries()) {
      const kept = keptMembers(known);
      const now = has.get(id)?.[nth];
      if (kept.length > 0 && now === undefined)
        return refused(at('agent_history'), `has to keep the invocation ${named(id)}, as it stands`, known);
      const member = kept.find((name) => !jsonEqual(known[name], now?.invocation[name]));
      if (now === undefined || member === undefined) continue;
      const why = `stays as it is: the invocation ${named(id)} ${hasEnded(known) ? 'has ended' : 'names it'}`;
      return refused(at('agent_history', now.index, member), why, known[member] ?? null);
    }
  }
  return ok(null);
}

/** The ids of the invocations that a write adds, if there are archives that may have them too. */
export function addedToArchived(before: JsonObject, after: JsonObject): readonly string[] {
  if (listOf(before, 'compaction_history').length === 0) return [];
  const known = byId(before);
  return [...byId(after).keys()].flatMap((id) => (typeof id === 'string' && !known.has(id) ? [id] : []));
}

type Id = string | number | null;

/** Invocations by their id. Those of one id, and those without any, are told apart by their order. */
function byId(document: JsonObject): ReadonlyMap<Id, { invocation: JsonObject; index: number }[]> {
  const all = new Map<Id, { invocation: JsonObject; index: number }[]>();
  for (const [index, invocation] of listOf(document, 'agent_history').entries()) {
    const { invocation_id: given } = invocation;
    const id = typeof given === 'string' || typeof given === 'number' ? given : null;
    const same = all.get(id);
    if (same === undefined) all.set(id, [{ invocation, index }]);
    else same.push({ invocation, index });
  }
  return all;
}

const HANDOFF: readonly string[] = ['handoff_from', 'handoff_to', 'handoff_reason'];

/** The members of an invocation that have to stay: all once it has ended, before that the hand-off that it names. */
function keptMembers(invocation: JsonObject): readonly string[] {
  if (hasEnded(invocation)) return Object.keys(invocation);
  return HANDOFF.filter((name) => (invocation[name] ?? '') !== '');
}

function named(id: Id): string {
  return id === null ? 'without an id' : String(id);
}

/** @param expected - What has to stay. */
function refused(pointer: string, why: string, expected: JsonValue) {
  const message = `${why}. Record with the operations of the workflow`;
  return fail('transition_refused', `${pointer}: ${message}. Nothing was written.`, {
    errors: [{ pointer, keyword: 'workflow', message, expected: { const: expected } }],
  });
}
