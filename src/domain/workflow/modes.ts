// The modes of a workflow. A schema defines them in its annotation `modes`, or the folder of agents in its file
// modes.json; `disabled` is always there.
import { fail, type Result, type Violation, ok } from '../errors.js';
import { isJsonArray, isJsonObject, jsonEqual, type JsonObject, type JsonValue } from '../json/json.js';
import { textMember, textsMember } from '../json/members.js';
import { formatPointer } from '../json/pointer.js';
import { declaresWorkflow } from './workflow.js';

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
      ? Object.keys(tools).map((client) => [client, textsMember(tools, client)])
      : null;
    return [
      {
        name,
        next: next === undefined ? null : textsMember(one, 'next'),
        tools: named === null ? null : (Object.fromEntries(named) as Mode['tools']),
      },
    ];
  });
}

/** The mode of a document that names none. */
export function firstMode([first]: readonly Mode[]): string {
  return first?.name ?? 'default';
}

/** The mode that a document is in. */
export function modeOf(document: JsonObject, modes: readonly Mode[]): string {
  return textMember(document, 'current_mode') ?? firstMode(modes);
}

/** The modes that may follow; `null` if none is defined, so that each may. */
export function nextModes(modes: readonly Mode[], from: string): readonly string[] | null {
  return modes.length === 0 ? null : [...definedNext(modes, from), DISABLED];
}

function definedNext(modes: readonly Mode[], from: string): readonly string[] {
  const names = modes.map(({ name }) => name);
  const next = modes.find(({ name }) => name === from)?.next ?? names;
  return next.filter((name) => names.includes(name) && name !== from);
}

/** The modes of a shortest way to those that are looked for, without the ones between. */
interface WayToModes {
  /** Those to enter now. */
  readonly first: readonly string[];
  readonly found: readonly string[];
}

/** @returns `null` if no way from the mode `from` leads to one that is looked for. */
export function wayToModes(
  modes: readonly Mode[],
  from: string,
  isSought: (mode: Mode) => boolean,
): WayToModes | null {
  const sought = new Set(modes.filter(isSought).map(({ name }) => name));
  const firsts = new Map(definedNext(modes, from).map((name) => [name, name]));
  let layer = [...firsts];
  while (layer.length > 0) {
    const found = layer.filter(([name]) => sought.has(name));
    if (found.length > 0) {
      return { first: [...new Set(found.map(([, first]) => first))], found: found.map(([name]) => name) };
    }
    const further: [string, string][] = [];
    for (const [name, first] of layer) {
      for (const next of definedNext(modes, name)) {
        if (next === from || firsts.has(next)) continue;
        firsts.set(next, first);
        further.push([next, first]);
      }
    }
    layer = further;
  }
  return null;
}

/** @returns Nothing; or `mode_refused` with the modes that may follow. */
export function mayEnter(modes: readonly Mode[], from: string, to: string): Result<null> {
  const allowed = nextModes(modes, from);
  if (to === from || allowed === null || allowed.includes(to)) return MAY;
  const why = modes.some(({ name }) => name === to) ? `does not follow ${from}` : 'is not defined';
  return refused(
    '/current_mode',
    from,
    allowed,
    `The mode ${to} ${why}. From ${from} a workflow may go to ${allowed.join(', ')}.`,
  );
}

/** True if a session's write changes the mode of a workflow, or the history of its modes: then `mayWriteMode` decides. */
export function writesMode(
  { document, schema }: ModeBefore,
  after: JsonObject,
  sessionId: string | null,
): sessionId is string {
  if (sessionId === null) return false;
  const isSame = textMember(document, 'current_mode') === textMember(after, 'current_mode');
  return !(isSame && hasSameHistory(document, after)) && declaresWorkflow(schema.schema);
}

/** An empty history is the same as none. */
function hasSameHistory(before: JsonObject, after: JsonObject): boolean {
  return jsonEqual(before['mode_history'] ?? NO_HISTORY, after['mode_history'] ?? NO_HISTORY);
}

/**
 * A session's write, of any form, changes the mode only as the operation that sets it does: to a mode that may follow,
 * and with its entry in `mode_history`. It adds no other entry there.
 *
 * @param keepsHistory - False for a closed schema of a user that allows no `mode_history`.
 * @returns Nothing; `forbidden` for a child that enters the mode `disabled`; or `mode_refused`.
 */
export function mayWriteMode(
  { document, rootSessionId }: ModeBefore,
  after: JsonObject,
  sessionId: string,
  modes: readonly Mode[],
  keepsHistory: boolean,
): Result<null> {
  const [from, to] = [modeOf(document, modes), modeOf(after, modes)];
  if (from === to && hasSameHistory(document, after)) return MAY;
  if (from === to) {
    const detail = `A write changes mode_history only with the mode, which stays ${to}. ${OPERATION}`;
    return refused('/mode_history', from, nextModes(modes, from), detail);
  }
  if (to === DISABLED && sessionId !== rootSessionId) {
    return fail(
      'forbidden',
      'Only the operator and the root enter the mode disabled. Choose another one, or ask them.',
      { pointer: '/current_mode' },
    );
  }
  const may = mayEnter(modes, from, to);
  if (!may.ok || !keepsHistory) return may;
  if (isInHistory(document['mode_history'], after['mode_history'], to, sessionId)) return may;
  return refused(
    '/current_mode',
    from,
    nextModes(modes, from),
    `A write that changes current_mode has to add its entry to mode_history. ${OPERATION}`,
  );
}

/** True if a write has added one entry: that the session has entered the mode. */
function isInHistory(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  mode: string,
  sessionId: string,
): boolean {
  const earlier = isJsonArray(before) ? before : [];
  if (!isJsonArray(after) || after.length !== earlier.length + 1) return false;
  const entry = after.at(-1);
  if (!isJsonObject(entry) || entry['mode'] !== mode || entry['entered_by'] !== sessionId) return false;
  const isWhole = textMember(entry, 'entered_at') !== null && textMember(entry, 'reason') !== null;
  return isWhole && earlier.every((one, at) => jsonEqual(one, after[at]));
}

function refused(pointer: string, mode: string, next: readonly string[] | null, detail: string) {
  const members = { pointer, mode, ...(next === null ? {} : { next_modes: next }) };
  return fail('mode_refused', detail, members);
}

/** A document before a write, with its schema and its tree. */
export interface ModeBefore {
  readonly document: JsonObject;
  readonly schema: { readonly schema: JsonObject };
  readonly rootSessionId: string;
}

const MAY = ok(null);
const NO_HISTORY: readonly JsonValue[] = [];
const OPERATION =
  'The operation does both: countersign workflow mode --set MODE, the tool workflow_record (record mode), or PUT /workflow-states/{id}/workflow/mode.';
