// The text of a failure for a model, in two lines: what was wrong and where, then what to call next.
import { ERRORS, type ErrorCode, type Failure } from '../../domain/errors.js';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { ADVICE, LIMIT_ADVICE, NO_ADVICE, NO_CALLBACK, NO_CALLER, UNREACHABLE } from './advice.js';
import { sampleOf } from './sample.js';
import type { Tool } from '../tool.js';

const LOCATIONS_MAX = 3;
const EXPECTED_CHARACTERS_MAX = 400;
const EXAMPLE_CHARACTERS_MAX = 600;

/** Members of a failure that help to correct the call, in addition to the locations. */
const SHOWN_MEMBERS = [
  'allowed',
  'next_modes',
  'current_version',
  'your_version',
  'operation_index',
  'limit',
  'maximum',
  'actual',
];

/** The text of a tool result with `isError`. */
export function failureText(tool: Pick<Tool, 'name' | 'example'>, failure: Failure): string {
  return `${oneLine(whatWasWrong(failure))}\n${oneLine(whatNext(tool, failure))}`;
}

/** The text for a service that gives no answer: over stdio, the service is another process. */
export function unreachableText({ name }: Pick<Tool, 'name'>, { message }: Error): string {
  return `${oneLine(`unreachable: ${message}`)}\nNext: ${UNREACHABLE.replaceAll('{tool}', name)}.`;
}

function whatWasWrong({ error, detail, members }: Failure): string {
  const locations = [
    ...locationsIn(members['errors']).map(violation),
    ...locationsIn(members['conflicts']).map(conflict),
  ];
  const more =
    locations.length > LOCATIONS_MAX ? ` (and ${String(locations.length - LOCATIONS_MAX)} more places)` : '';
  const facts = SHOWN_MEMBERS.filter((name) => members[name] !== undefined)
    .map((name) => `${name}: ${short(members[name])}`)
    .join(', ');
  const memberLines =
    locations.length === 0
      ? detail || ERRORS[error].title
      : locations.slice(0, LOCATIONS_MAX).join('; ') + more;
  return `${error}: ${memberLines}${facts === '' ? '' : ` [${facts}]`}`;
}

function violation(location: JsonObject): string {
  const { pointer, message, expected } = location;
  const expectation = expected === undefined || expected === null ? '' : `; expected ${short(expected)}`;
  return `${where(pointer)} ${plain(message)}${expectation}`;
}

function conflict({ pointer, theirs, yours }: JsonObject): string {
  return `${where(pointer)} was changed by others to ${short(theirs)} and by you to ${short(yours)}`;
}

function where(pointer: JsonValue | undefined): string {
  return pointer === '' || pointer === undefined ? 'at "" (the whole)' : `at ${plain(pointer)}`;
}

function whatNext(tool: Pick<Tool, 'name' | 'example'>, { error, members }: Failure): string {
  const [first] = locationsIn(members['errors']);
  const isOfCallback = first?.['pointer'] === '/callback' && first['keyword'] !== 'type';
  if (error === 'invalid_request' && isOfCallback) {
    return `Next: ${tool.name === 'start_agent_session' ? NO_CALLER : NO_CALLBACK}.`;
  }
  const { limit } = members;
  const ofLimit = error === 'limit_exceeded' && typeof limit === 'string' ? LIMIT_ADVICE[limit] : undefined;
  const advice = (ofLimit ?? ADVICE[error] ?? NO_ADVICE).replaceAll('{tool}', tool.name);
  return `Next: ${advice}.${exampleOf(tool, error, first, members['allowed'])}`;
}

/** A valid example, if the advice is to repeat the call with a correction. */
function exampleOf(
  tool: Pick<Tool, 'name' | 'example'>,
  error: ErrorCode,
  first: JsonObject | undefined,
  allowed: unknown,
): string {
  if (error === 'validation_failed') return valid(first);
  if (error === 'invalid_request' || error === 'patch_failed') return callOf(tool);
  const pointers: readonly unknown[] = Array.isArray(allowed) ? allowed : [];
  const [path] = pointers;
  if (error !== 'write_scope_violation' || typeof path !== 'string') return '';
  return callOf({
    name: 'state_patch',
    example: { operations: [{ op: 'add', path, value: 'your result' }] },
  });
}

/** A value that the first rejected location would accept. */
function valid(location: JsonObject | undefined): string {
  const expected = location?.['expected'];
  if (location === undefined || !isJsonObject(expected)) return '';
  const { required, schema, properties } = expected;
  if (isJsonArray(properties)) return ` Valid: the same without ${plain(location['pointer'])}.`;
  const value = sampleOf(typeof required === 'string' ? schema : expected);
  if (value === undefined) return '';
  const at =
    typeof required === 'string' ? `${plain(location['pointer'])}/${required}` : plain(location['pointer']);
  return ` Valid there: ${at === '' ? 'the whole document' : at} = ${JSON.stringify(value)}.`;
}

function callOf({ name, example }: Pick<Tool, 'name' | 'example'>): string {
  const text = JSON.stringify(example);
  return text.length > EXAMPLE_CHARACTERS_MAX ? '' : ` Valid: ${name} ${text}`;
}

function locationsIn(value: Failure['members'][string] | undefined): readonly JsonObject[] {
  const locations: readonly unknown[] = Array.isArray(value) ? value : [];
  return locations.flatMap((one): JsonObject[] =>
    typeof one === 'object' && one !== null ? [{ ...one }] : [],
  );
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return text.length > EXPECTED_CHARACTERS_MAX ? `${text.slice(0, EXPECTED_CHARACTERS_MAX)}…` : text;
}

function plain(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ');
}
