// The location that a prompt names if there is no contract: one that the schema and the write scope allow.
import type { DocumentView } from '../transactions/decision-context.js';
import { isJsonObject } from '../json/json.js';
import { formatPointer, isAtOrUnder, valueAt } from '../json/pointer.js';
import type { CompletionSettings } from '../records/records.js';
import {
  type ExampleWrite,
  type SchemaAnswers,
  closedSentence,
  type RuledOut,
} from '../transactions/schema-answers.js';
import { isInScope } from '../writes/write-scope.js';

/** Placeholder for a name that the child chooses, if the schema allows any. */
const ANY_MEMBER = 'RESULT_MEMBER';
/** Further locations to try if the first has no example. */
const OTHERS_MAX = 8;

export interface NamedLocation {
  readonly pointer: string;
  /** Further locations that are allowed. */
  readonly others: readonly string[];
  /** The locations to choose from, as a sentence; `null` if the choice is free or the contract decides. */
  readonly choice: string | null;
}

/** The location, and an example of a write there; `null` if no write is certain to be accepted. */
export function locationWithExample(
  settings: CompletionSettings,
  view: DocumentView,
  { ruledOut, exampleOf }: SchemaAnswers,
): { readonly named: NamedLocation; readonly example: ExampleWrite | null } {
  const named = locationToName(settings, view, ruledOut);
  const example = exampleOf(
    { hash: view.schemaHash, schema: view.schema },
    {
      document: view.document,
      documentBytes: view.text.length,
      locations: [named.pointer, ...named.others],
      contract: settings.contract,
      writeScope: settings.writeScope,
    },
  );
  return { named, example };
}

/** @param ruledOut - Reports locations that the schema rules out. */
export function locationToName(
  settings: CompletionSettings,
  view: DocumentView,
  ruledOut: RuledOut,
): NamedLocation {
  const { contract, writeScope } = settings;
  if (contract !== null) return locationOfContract(contract.pointer, writeScope);
  const schema = { hash: view.schemaHash, schema: view.schema };
  const isOpen = (pointer: string) => ruledOut(schema, { pointer }) === null;
  const base = writeScope === null ? '' : (writeScope.find(isOpen) ?? writeScope[0] ?? '');
  const elsewhere = (writeScope ?? []).slice(0, OTHERS_MAX).filter((pointer) => pointer !== base);
  const present = valueAt(view.document, base);
  const anyMember = base + formatPointer([ANY_MEMBER]);
  // A location of the write scope is named as it is, unless it holds an object, which may have members of others.
  if (base !== '' && !isJsonObject(present)) return { pointer: base, others: elsewhere, choice: null };
  const closed = ruledOut(schema, { pointer: anyMember });
  if (closed === null) {
    return base === ''
      ? { pointer: anyMember, others: [], choice: null }
      : { pointer: base, others: [anyMember, ...elsewhere], choice: null };
  }
  const members = closed.pointer === base ? (closed.members ?? []) : [];
  const isFree = (name: string) => !isJsonObject(present) || !Object.hasOwn(present, name);
  const [first, ...more] = [...members.filter(isFree), ...members.filter((name) => !isFree(name))].map(
    (name) => base + formatPointer([name]),
  );
  if (first === undefined)
    return { pointer: anyMember, others: elsewhere, choice: `${closedSentence(closed)}.` };
  const locations = members.map((name) => base + formatPointer([name]));
  return {
    pointer: first,
    others: [...more.slice(0, OTHERS_MAX), anyMember, ...elsewhere],
    choice: `The schema has these places: ${locations.join(', ')}.`,
  };
}

/** The contract's location; or the locations of the write scope within it, if the scope is narrower. */
function locationOfContract(pointer: string, writeScope: readonly string[] | null): NamedLocation {
  const narrower = (writeScope ?? []).filter(
    (location) => isAtOrUnder(location, pointer) && location !== pointer,
  );
  const isWide = writeScope === null || isInScope(writeScope, pointer);
  const [first = pointer, ...others] = isWide ? [pointer] : narrower.slice(0, OTHERS_MAX);
  return { pointer: first, others, choice: null };
}
