// What attacks are made of: states of some shape, and many of the same at a time.
import type { Target } from './target.js';

export const FREE_FORM = 'free-form';

let count = 0;

/** A name that nothing else has. */
export function fresh(what: string): string {
  count += 1;
  return `${what}-${String(count)}`;
}

/** @returns The id of a state of a tree of its own. */
export async function stateOf(target: Target, data: unknown, schema?: object): Promise<string> {
  return (await treeOf(target, data, schema)).stateId;
}

export async function treeOf(
  target: Target,
  data: unknown,
  schema: object = { type: 'object' },
): Promise<{ readonly stateId: string; readonly root: string }> {
  const name = fresh('attack');
  await target.must('POST', '/workflow-schemas', { name, json_schema: schema });
  const root = await target.must('POST', '/sessions', { session_name: fresh('root'), external: true });
  const body = { schema_name: name, root_session_id: root.session_id, initial_data: data };
  const state = await target.must('POST', '/workflow-states', body);
  return { stateId: state.state_id, root: root.session_id };
}

/** An array of so many items. */
export function list<T>(length: number, make: (at: number) => T): T[] {
  return Array.from({ length }, (_, at) => make(at));
}

/** An object of so many members. */
export function members<T>(length: number, make: (at: number) => T, name = 'm'): Record<string, T> {
  return Object.fromEntries(list(length, (at) => [`${name}${String(at)}`, make(at)]));
}

/** So many at a time, all told. */
export async function many(
  total: number,
  atOnce: number,
  one: (at: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < total; at = next++) await one(at).catch(() => undefined);
  };
  await Promise.all(list(Math.min(total, atOnce), lane));
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
