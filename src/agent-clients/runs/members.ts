// Reads members of events from outside, which may have any form. Pure.
import { isJsonObject, type JsonValue } from '../../domain/json/json.js';
import type { Usage } from './agent-cli.js';

/** The member of an object; `undefined` if there is none, or if the value is not an object. */
export function valueAt(value: JsonValue | undefined, member: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, member) ? value[member] : undefined;
}

export function textAt(value: JsonValue | undefined, member: string): string | null {
  const found = valueAt(value, member);
  return typeof found === 'string' ? found : null;
}

export function numberAt(value: JsonValue | undefined, member: string): number | null {
  const found = valueAt(value, member);
  return typeof found === 'number' ? found : null;
}

type UsageNumber = Exclude<keyof Usage, 'whole_conversation'>;

/** The reported numbers of a run's usage, without absent ones. */
export function usageOf(reported: Partial<Record<UsageNumber, number | null>>): Usage {
  return Object.fromEntries(
    Object.entries(reported).flatMap(([name, value]) => (typeof value === 'number' ? [[name, value]] : [])),
  );
}
