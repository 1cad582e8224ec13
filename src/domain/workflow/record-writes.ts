// What a session's write may change of a workflow record when it is no operation of the workflow.
import { fail, ok, type Result } from '../errors.js';
import { jsonEqual, type JsonObject, type JsonValue } from '../json/json.js';
import { textMember } from '../json/members.js';
import { at } from './operations.js';
import { declaresWorkflow, hasEnded, listOf, recordOf, type ListName } from './workflow.js';

/** True if a write changes the invocations or the list of archives: then `mayWriteRecord` decides. */
export function writesRecord(before: JsonObject, after: JsonObject, schema: JsonObject): boolean {
  const isSame = (name: ListName) =>
    recordOf(before)[name] === recordOf(after)[name] || jsonEqual(listOf(before, name), listOf(after, name));
  return !(isSame('agent_history') && isSame('compaction_history')) && declaresWorkflow(schema);
}

/**
 * An invocation that has ended stays as it is, and so does a hand-off that an invocation names. Only a compaction takes
 * invocations away and lists an archive.
 *
 * @returns Nothing; or `transition_refused`.
 */
export function mayWriteRecord(before: JsonObject, after: JsonObject): Result<null> {
  const archives = listOf(before, 'compaction_history');
  if (!jsonEqual(archives, listOf(after, 'compaction_history')))
    return refused(at('compaction_history'), 'is written by compactions only', archives);
  const history = listOf(after, 'agent_history');
  const indices = new Map(history.map((one, index) => [one['invocation_id'], index]));
  for (const known of listOf(before, 'agent_history')) {
    const id = textMember(known, 'invocation_id');
    if (id === null) continue;
    const index = indices.get(id);
    if (index === undefined) {
      if (hasEnded(known))
        return refused(at('agent_history'), `has to keep the invocation ${id}, which has ended`, known);
      continue;
    }
    const member = changedMember(known, history[index] ?? {});
    if (member !== undefined) {
      const why = `stays as it is: the invocation ${id} ${hasEnded(known) ? 'has ended' : 'names it'}`;
      return refused(at('agent_history', index, member), why, known[member] ?? null);
    }
  }
  return ok(null);
}

/** The ids of the invocations that a write adds, if there are archives that may have them too. */
export function addedToArchived(before: JsonObject, after: JsonObject): readonly string[] {
  if (listOf(before, 'compaction_history').length === 0) return [];
  const known = new Set(listOf(before, 'agent_history').map((one) => one['invocation_id']));
  return listOf(after, 'agent_history').flatMap((one) => {
    const id = textMember(one, 'invocation_id');
    return id === null || known.has(id) ? [] : [id];
  });
}

const HANDOFF: readonly string[] = ['handoff_from', 'handoff_to', 'handoff_reason'];

/** A member of an invocation that has to stay and that a write changes. */
function changedMember(before: JsonObject, after: JsonObject): string | undefined {
  const kept = hasEnded(before)
    ? Object.keys({ ...before, ...after })
    : HANDOFF.filter((name) => (before[name] ?? '') !== '');
  return kept.find((name) => !jsonEqual(before[name], after[name]));
}

/** @param expected - What has to stay. */
function refused(pointer: string, why: string, expected: JsonValue) {
  const message = `${why}. Record with the operations of the workflow`;
  return fail('transition_refused', `${pointer}: ${message}. Nothing was written.`, {
    errors: [{ pointer, keyword: 'workflow', message, expected: { const: expected } }],
  });
}
