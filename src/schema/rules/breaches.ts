// Checks each rule at one location, from the value before and after. `undefined` means no value.
import { isJsonArray, jsonEqual, type JsonValue } from '../../domain/json/json.js';
import { bounded, excerpt } from '../../domain/json/quoted.js';
import type { RuleKeyword, Rules } from './keywords.js';

export interface Breach {
  readonly keyword: RuleKeyword;
  readonly message: string;
  readonly expected: JsonValue;
}

type Maybe = JsonValue | undefined;

/** `null` stands for a value that is still to come: no rule applies to it. */
export function isSet(value: Maybe): value is JsonValue {
  return value !== undefined && value !== null;
}

/** The rules of one subschema that a change violates; none if there was no value before. */
export function breachesOf(
  rules: Rules,
  values: readonly JsonValue[],
  before: Maybe,
  after: Maybe,
): readonly Breach[] {
  if (!isSet(before)) return [];
  const found: (Breach | null)[] = [
    rules.immutable ? immutable(before, after) : null,
    rules.appendOnly ? appendOnly(before, after) : null,
    rules.monotonic ? monotonic(before, after) : null,
    rules.transitions === null ? null : transition(rules.transitions, values, before, after),
  ];
  return found.filter((each) => each !== null);
}

function immutable(before: JsonValue, after: Maybe): Breach | null {
  if (jsonEqual(before, after)) return null;
  const message = `is set and stays as it is: ${excerpt(before)}; the write ${deed(after)}`;
  return { keyword: 'x-immutable', message, expected: { const: bounded(before) } };
}

function appendOnly(before: JsonValue, after: Maybe): Breach | null {
  if (!isJsonArray(before)) return null;
  const expected = { 'x-append-only': true, minItems: before.length };
  const fault = (what: string): Breach => ({
    keyword: 'x-append-only',
    message: `grows at its end only, and its ${String(before.length)} items stay as they are; the write ${what}`,
    expected,
  });
  if (!isJsonArray(after)) return fault(deed(after));
  if (after.length < before.length) return fault(`leaves ${String(after.length)} of them`);
  const index = before.findIndex((item, at) => !jsonEqual(item, after[at]));
  return index === -1 ? null : fault(`changes the item at index ${String(index)}`);
}

function monotonic(before: JsonValue, after: Maybe): Breach | null {
  if (typeof before !== 'number' || (typeof after === 'number' && after >= before)) return null;
  const message = `never falls, and is ${String(before)}; the write ${deed(after)}`;
  return { keyword: 'x-monotonic', message, expected: { minimum: before } };
}

function transition(
  map: ReadonlyMap<string, readonly JsonValue[]>,
  values: readonly JsonValue[],
  before: JsonValue,
  after: Maybe,
): Breach | null {
  // A value that the enum does not contain predates a migration: it may change to any value of the schema.
  if (typeof before !== 'string' || after === before || !values.includes(before)) return null;
  const next = map.get(before) ?? [];
  if (after !== undefined && next.includes(after)) return null;
  const may = next.length === 0 ? 'nothing may follow it' : `may become ${next.map(excerpt).join(' or ')}`;
  const message = `is ${excerpt(before)}, and ${may}; the write ${deed(after)}`;
  return { keyword: 'x-transitions', message, expected: { enum: [before, ...next] } };
}

function deed(after: Maybe): string {
  return after === undefined ? 'removes it' : `makes it ${excerpt(after)}`;
}
