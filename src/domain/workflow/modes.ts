// The modes of a workflow. A schema defines them in its annotation `modes`, or the folder of agents in its file
// modes.json; `disabled` is always there.
import { fail, type Result, type Violation, ok } from '../errors.js';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/json.js';
import { formatPointer } from '../json/pointer.js';
import { declaresWorkflow, textsOf } from './workflow.js';

/** Built in: the gate lets every tool pass. Only the operator and the root may enter it. */
export const DISABLED = 'disabled';

/** How modes are written, for errors. */
export const MODES_FORM =
  'an array of modes of the workflow: {name, next?: [names], tools?: {client: [tools]}}, each name once and not "disabled"';

export type Mode = {
  readonly name: string;
  /** The modes that may follow; `null` if each may. */
  readonly next: readonly string[] | null;
  /** The tools that the gate lets pass, by client; `null` if each may. A trailing `*` matches any suffix. */
  readonly tools: Readonly<Record<string, readonly string[]>> | null;
};

/** What is wrong with modes as they are written; empty if nothing is. */
export function modeFaults(value: JsonValue): readonly Violation[] {
  if (!isJsonArray(value) || value.length === 0)
    return [fault([], 'must be an array with at least one mode')];
  const names = value.map((one) => (isJsonObject(one) ? one['name'] : undefined));
  return value.flatMap((mode, at): readonly Violation[] => {
    if (!isJsonObject(mode)) return [fault([at], 'must be an object')];
    const { name, next, tools, ...others } = mode;
    const [other] = Object.keys(others);
    if (other !== undefined) return [fault([at, other], 'is no member of a mode')];
    if (typeof name !== 'string' || name === '' || name === DISABLED || name.length > 128)
      return [fault([at, 'name'], `must be a name of up to 128 characters, and not "${DISABLED}"`)];
    if (names.indexOf(name) !== at) return [fault([at, 'name'], 'is the name of another mode')];
    if (next !== undefined && !(isJsonArray(next) && next.every((one) => names.includes(one))))
      return [fault([at, 'next'], 'must be an array of names of these modes')];
    return tools === undefined || areTools(tools)
      ? []
      : [fault([at, 'tools'], 'must be an object with an array of names of tools for each client')];
  });
}

function areTools(value: JsonValue): boolean {
  const isName = (one: JsonValue) => typeof one === 'string' && one !== '';
  return isJsonObject(value) && Object.values(value).every((one) => isJsonArray(one) && one.every(isName));
}

function fault(path: readonly (string | number)[], message: string): Violation {
  return { pointer: formatPointer(path), keyword: 'modes', message, expected: MODES_FORM };
}

/** The modes of a schema; empty if it defines none. */
export function modesOf({ modes }: JsonObject): readonly Mode[] {
  return modes === undefined ? [] : modesFrom(modes);
}

/** @param value - Without faults. Entries that are no modes are left out. */
export function modesFrom(value: JsonValue): readonly Mode[] {
  if (!isJsonArray(value)) return [];
  return value.flatMap((one): Mode[] => {
    if (!isJsonObject(one) || typeof one['name'] !== 'string') return [];
    const { name, next, tools } = one;
    const named = isJsonObject(tools)
      ? Object.keys(tools).map((client) => [client, textsOf(tools, client)])
      : null;
    return [
      {
        name,
        next: next === undefined ? null : textsOf(one, 'next'),
        tools: named === null ? null : (Object.fromEntries(named) as Mode['tools']),
      },
    ];
  });
}

/** The mode of a document that names none. */
export function firstMode([first]: readonly Mode[]): string {
  return first?.name ?? 'default';
}

/** The modes that may follow; `null` if none is defined, so that each may. */
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

/**
 * @param sessionId - Who writes; `null` for the operator.
 * @returns Nothing; or `forbidden` for a child whose write, of any form, enters the mode `disabled`.
 */
export function mayWriteMode(
  { document, schema, rootSessionId }: ModeBefore,
  after: JsonObject,
  sessionId: string | null,
): Result<null> {
  if (after['current_mode'] !== DISABLED || sessionId === null || sessionId === rootSessionId) return MAY;
  if (document['current_mode'] === DISABLED || !declaresWorkflow(schema.schema)) return MAY;
  return fail(
    'forbidden',
    'Only the operator and the root enter the mode disabled. Choose another one, or ask them.',
    { pointer: '/current_mode' },
  );
}

/** A document before a write, with its schema and its tree. */
interface ModeBefore {
  readonly document: JsonObject;
  readonly schema: { readonly schema: JsonObject };
  readonly rootSessionId: string;
}

const MAY = ok(null);
