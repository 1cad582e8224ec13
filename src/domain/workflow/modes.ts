// The modes of a workflow. A schema defines them in its annotation `modes`; `disabled` is always there.
import type { Actor } from '../access/actor.js';
import { fail, type Result, ok } from '../errors.js';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/json.js';
import { textsOf } from './workflow.js';

/** Built in. Only the operator and the root may enter it. */
export const DISABLED = 'disabled';

export type Mode = {
  readonly name: string;
  /** The modes that may follow; `null` if each may. */
  readonly next: readonly string[] | null;
};

/** True if a value defines modes: each with a name of its own, and the names of those that may follow. */
export function areModes(value: JsonValue): boolean {
  if (!isJsonArray(value) || value.length === 0) return false;
  const names = value.map((one) => (isJsonObject(one) ? one['name'] : undefined));
  const isName = (name: JsonValue | undefined) =>
    typeof name === 'string' && name !== '' && name !== DISABLED;
  const next = value.map((one) => (isJsonObject(one) ? one['next'] : undefined));
  return (
    names.every(isName) &&
    new Set(names).size === names.length &&
    next.every(
      (list) => list === undefined || (isJsonArray(list) && list.every((one) => names.includes(one))),
    )
  );
}

/** The modes of a schema; empty if it defines none. Entries that are no modes are left out. */
export function modesOf(schema: JsonObject): readonly Mode[] {
  const { modes } = schema;
  if (!isJsonArray(modes)) return [];
  return modes.flatMap((one): Mode[] => {
    if (!isJsonObject(one) || typeof one['name'] !== 'string') return [];
    return [{ name: one['name'], next: one['next'] === undefined ? null : textsOf(one, 'next') }];
  });
}

/** The mode of a document that names none. */
export function firstMode([first]: readonly Mode[]): string {
  return first?.name ?? 'default';
}

/** The modes that may follow; `null` if the schema defines none, so that each may. */
export function nextModes(modes: readonly Mode[], from: string): readonly string[] | null {
  if (modes.length === 0) return null;
  const names = modes.map(({ name }) => name);
  const next = modes.find(({ name }) => name === from)?.next ?? names;
  return [...next.filter((name) => names.includes(name) && name !== from), DISABLED];
}

/** @returns Nothing; or `mode_refused` with the modes that may follow. */
export function mayEnter(modes: readonly Mode[], from: string, to: string): Result<null> {
  const allowed = nextModes(modes, from);
  if (to === from || allowed === null || allowed.includes(to)) return ok(null);
  const why = modes.some(({ name }) => name === to) ? `does not follow ${from}` : 'is not defined';
  return fail(
    'mode_refused',
    `The mode ${to} ${why}. From ${from} a workflow may go to ${allowed.join(', ')}.`,
    {
      mode: from,
      next_modes: allowed,
    },
  );
}

/** @returns Nothing; or `forbidden` for a child that would enter `disabled`. */
export function mayChoose(actor: Actor, mode: string): Result<null> {
  const isChild = actor.kind === 'session' && actor.sessionId !== actor.rootSessionId;
  if (mode !== DISABLED || !isChild) return ok(null);
  return fail(
    'forbidden',
    'Only the operator and the root enter the mode disabled. Choose another one, or ask them.',
  );
}
