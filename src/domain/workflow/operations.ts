// The parts of which the rules of a workflow record are made: operations on the document, and failures.
import { fail, type Result } from '../errors.js';
import { jsonEqual, type JsonObject, type JsonValue } from '../json/json.js';
import type { PatchOperation } from '../json/patch.js';
import { formatPointer } from '../json/pointer.js';
import { RECORD, type ListName } from './workflow.js';

/** The operations of a command, or why it is refused. */
export type Recorded = Result<readonly PatchOperation[]>;

export function append(list: ListName, entry: JsonObject): PatchOperation {
  return { op: 'add', path: at(list, '-'), value: entry };
}

/** One operation; none if the value is that already. */
export function changed(
  before: JsonValue | undefined,
  path: string,
  value: JsonValue,
): readonly PatchOperation[] {
  return jsonEqual(before, value) ? [] : [{ op: 'replace', path, value }];
}

/** A pointer into the record. */
export function at(...path: readonly (string | number)[]): string {
  return formatPointer([RECORD, ...path]);
}

export function notFound(what: string, id: string) {
  return fail('workflow_entry_not_found', `The workflow record has no ${what} ${id}.`, { id });
}

export function exists(what: string, id: string) {
  return fail(
    'workflow_entry_exists',
    `The workflow record has another ${what} ${id} already. Choose another id, or leave it out.`,
    { id },
  );
}
