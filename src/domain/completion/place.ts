// The place that the call in a prompt names where no contract names one: one that the schema and the write scope allow.
import type { DocumentView } from '../draft.js';
import { isJsonObject } from '../json.js';
import { formatPointer, valueAt } from '../pointer.js';
import type { CompletionSettings } from '../records.js';
import { closedSentence, type RuledOut } from '../schemas/room.js';

/** Stands for a name of the child's choice, where the schema leaves it one. */
const ANY_MEMBER = 'RESULT_MEMBER';

export interface NamedPlace {
  readonly pointer: string;
  /** What the child may choose from, as a sentence; `null` where it is free, or the contract says. */
  readonly choice: string | null;
}

/** @param ruledOut - Says where the schema leaves no room. */
export function placeToName(
  settings: CompletionSettings,
  view: DocumentView,
  ruledOut: RuledOut,
): NamedPlace {
  const { contract, writeScope } = settings;
  if (contract !== null) return { pointer: contract.pointer, choice: null };
  const schema = { hash: view.schemaHash, schema: view.schema };
  const base =
    writeScope === null ? '' : firstOpen(writeScope, (pointer) => ruledOut(schema, { pointer }) === null);
  const there = valueAt(view.document, base);
  // A place of the scope's own is named as it is, unless an object stands there, which others may have a part in.
  if (base !== '' && !isJsonObject(there)) return { pointer: base, choice: null };
  const any = base + formatPointer([ANY_MEMBER]);
  const closed = ruledOut(schema, { pointer: any });
  if (closed === null) return base === '' ? { pointer: any, choice: null } : { pointer: base, choice: null };
  const members = closed.pointer === base ? (closed.members ?? []) : [];
  const isFree = (name: string) => !isJsonObject(there) || !Object.hasOwn(there, name);
  const member = members.find(isFree) ?? members[0];
  if (member === undefined) return { pointer: any, choice: `${closedSentence(closed)}.` };
  const places = members.map((name) => base + formatPointer([name]));
  return {
    pointer: base + formatPointer([member]),
    choice: `The schema has these places: ${places.join(', ')}.`,
  };
}

function firstOpen(scope: readonly string[], isOpen: (pointer: string) => boolean): string {
  return scope.find(isOpen) ?? scope[0] ?? '';
}
