// The rules of change as a schema states them.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';

/** The own keywords that restrict writes. */
export const RULE_KEYWORDS = [
  'x-immutable',
  'x-append-only',
  'x-monotonic',
  'x-transitions',
  'x-key',
] as const;

export type RuleKeyword = (typeof RULE_KEYWORDS)[number];

/** True if the schema states this rule. A flag that is `false` states nothing. */
export function isRule(schema: JsonObject, keyword: RuleKeyword): boolean {
  const value = schema[keyword];
  return value !== undefined && value !== false;
}

/** The rules of one subschema. */
export interface Rules {
  readonly immutable: boolean;
  readonly appendOnly: boolean;
  readonly monotonic: boolean;
  /** The allowed new values for each old value. A value of the enum without an entry cannot change. */
  readonly transitions: ReadonlyMap<string, readonly JsonValue[]> | null;
  /** The member that identifies the items. */
  readonly key: string | null;
}

/** The rules of a schema; `null` if it has none. */
export function rulesOf(schema: JsonObject | boolean): Rules | null {
  if (typeof schema === 'boolean' || !RULE_KEYWORDS.some((keyword) => isRule(schema, keyword))) return null;
  const transitions = schema['x-transitions'];
  const key = schema['x-key'];
  return {
    immutable: schema['x-immutable'] === true,
    appendOnly: schema['x-append-only'] === true,
    monotonic: schema['x-monotonic'] === true,
    transitions: isJsonObject(transitions)
      ? new Map(Object.entries(transitions).map(([from, to]) => [from, isJsonArray(to) ? to : []]))
      : null,
    key: typeof key === 'string' ? key : null,
  };
}
