// Parses an event of an export. A member that is missing, of another form, or of no event makes it another event than the
// one that was written, so nothing is left out or put right.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { textMember } from '../../domain/json/members.js';
import { scanParsed } from '../../domain/json/scan.js';
import type { EventKind, StateEvent } from '../../domain/records/records.js';
import { canonicalJson } from '../../document/canonical.js';

/** The event; or the version at which one is expected, and what is wrong with what is there: a clause. */
export type ExportedEvent =
  { readonly event: StateEvent } | { readonly version: number; readonly wrong: string };

const isText = (value: JsonValue): value is string => typeof value === 'string';
const isTextOrNull = (value: JsonValue) => value === null || isText(value);
/** In the text of the API: others can name the same instant, and the hash would hold. */
const isTime = (value: JsonValue) => isText(value) && new Date(value).toJSON() === value;
/** No patch of the service has a number beyond the range of doubles, or a name that no document may have. */
const isPatch = (value: JsonValue) => isJsonArray(value) && scanParsed(value, Infinity).found === 'nothing';
const isVersion = (value: JsonValue | undefined): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0;

type Members = Readonly<Record<string, (value: JsonValue) => boolean>>;

/** The form of each member of `EventView`. */
const REQUIRED: Members = {
  event_id: isText,
  version: isVersion,
  kind: isText,
  patch: isPatch,
  session_id: isTextOrNull,
  run_id: isTextOrNull,
  token_name: isTextOrNull,
  late: (value) => typeof value === 'boolean',
  created_at: isTime,
  previous_hash: isText,
  hash: isText,
  signature: isTextOrNull,
};
const OPTIONAL: Members = { tool_call_id: isText, from_schema_id: isText, to_schema_id: isText };
const MEMBERS: Members = { ...REQUIRED, ...OPTIONAL };

/** @param before - The version of the event before; `null` for the first one. */
export function exportedEvent(
  view: JsonValue,
  state: Pick<StateEvent, 'stateId' | 'rootSessionId'>,
  before: number | null,
): ExportedEvent {
  if (!isJsonObject(view)) return { version: (before ?? 0) + 1, wrong: 'is no object' };
  const wrong = misfitOf(view);
  if (wrong === null) return { event: eventOf(view, state) };
  const { version } = view;
  return { version: before === null && isVersion(version) ? version : (before ?? 0) + 1, wrong };
}

function misfitOf(view: JsonObject): string | null {
  const lost = Object.keys(REQUIRED).find((name) => !Object.hasOwn(view, name));
  if (lost !== undefined) return `has no ${lost}`;
  for (const [name, value] of Object.entries(view)) {
    const fits = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined;
    if (fits === undefined) return `has a member that no event has: ${JSON.stringify(name)}`;
    if (!fits(value)) return `has a ${name} of another form`;
  }
  return null;
}

/** Its members have the types of the list. */
function eventOf(view: JsonObject, state: Pick<StateEvent, 'stateId' | 'rootSessionId'>): StateEvent {
  const text = (name: string) => textMember(view, name) ?? '';
  return {
    ...state,
    eventId: text('event_id'),
    version: Number(view['version']),
    // Any other kind has another hash.
    kind: text('kind') as EventKind,
    patchText: canonicalJson(view['patch'] ?? []),
    sessionId: textMember(view, 'session_id'),
    runId: textMember(view, 'run_id'),
    tokenName: textMember(view, 'token_name'),
    toolCallId: textMember(view, 'tool_call_id'),
    late: view['late'] === true,
    createdAt: Date.parse(text('created_at')),
    fromSchemaId: textMember(view, 'from_schema_id'),
    toSchemaId: textMember(view, 'to_schema_id'),
    previousHash: text('previous_hash'),
    hash: text('hash'),
    signature: textMember(view, 'signature'),
  };
}
