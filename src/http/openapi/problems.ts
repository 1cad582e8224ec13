// Problem responses: one schema per error code, and one response per group of codes that share a status.
import { Type } from 'typebox';
import { ERRORS, isErrorCode, type ErrorCode } from '../../domain/errors.js';
import type { JsonObject, JsonValue } from '../../domain/json/json.js';
import { PROBLEM_MEMBERS } from '../../ports/api/index.js';
import { statusesOf } from '../replies/problem.js';
import type { ReplySpec, Route } from '../route.js';
import { headersOf } from './headers.js';
import { pascal, type Shared } from './names.js';
import { referenceTo, wholeSchemaOf } from './schemas.js';

const OF_DAMAGE: readonly ErrorCode[] = ['record_damaged', 'state_tampered'];
const ALWAYS: readonly ErrorCode[] = [
  'malformed_request',
  'invalid_request',
  'host_refused',
  'origin_refused',
  'internal',
  ...OF_DAMAGE,
];
const OF_KEYED: readonly ErrorCode[] = ['idempotency_in_flight', 'idempotency_mismatch'];
/** Why a stored answer cannot be given again: what it left out is read from the history. */
const OF_REBUILT: readonly ErrorCode[] = ['state_not_found', 'version_compacted'];
const OF_CALLERS: readonly ErrorCode[] = [
  'unauthorized',
  'forbidden',
  'session_not_found',
  'overloaded',
  'storage_full',
  'storage_busy',
  'storage_failed',
  'storage_lost',
];
const OF_BODIES: readonly ErrorCode[] = [
  'invalid_json',
  'unsupported_media_type',
  'payload_too_large',
  'limit_exceeded',
];

/** Headers that accompany a code. */
const HEADERS: Readonly<Partial<Record<ErrorCode, readonly string[]>>> = {
  unauthorized: ['WWW-Authenticate'],
  overloaded: ['Retry-After'],
  storage_busy: ['Retry-After'],
  storage_failed: ['Retry-After'],
  method_not_allowed: ['Allow'],
  unsupported_media_type: ['Accept-Patch', 'Accept-Encoding'],
  upgrade_required: ['Upgrade', 'Sec-WebSocket-Version'],
};

const CODES: readonly ErrorCode[] = Object.keys(ERRORS).filter(isErrorCode);

/** True if the route reads `Idempotency-Key`. */
export function takesKey(route: Route): boolean {
  return route.access === 'caller' && route.method !== 'GET' && route.keyed !== false;
}

/** True if one of the forms of an answer has the member. */
export function hasMember({ schema, anyOf = [] }: ReplySpec, name: string): boolean {
  return [...(schema === undefined ? [] : [schema]), ...anyOf].some(
    (one) => 'properties' in one && Object.hasOwn(Object(one.properties) as object, name),
  );
}

/** True if the answer to a repeated request may be rebuilt from the history. */
export function rebuildsAnswers(route: Route): boolean {
  const inHistory = (spec: ReplySpec) => hasMember(spec, 'current_data') || hasMember(spec, 'value');
  return takesKey(route) && Object.values(route.answers).some(inHistory);
}

/** Every error code of a route; `method_not_allowed` is for the other methods of its path. */
export function errorsOf(route: Route): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([
    ...route.errors,
    ...(route.bodies.length > 0 ? OF_BODIES : []),
    ...(route.access === 'caller' ? OF_CALLERS : []),
    ...(takesKey(route) ? OF_KEYED : []),
    ...(rebuildsAnswers(route) ? OF_REBUILT : []),
    // An empty path parameter results in another path.
    ...(route.path.includes('{') ? (['route_not_found'] as const) : []),
    ...ALWAYS,
    'method_not_allowed',
  ]);
  return CODES.filter((code) => codes.has(code));
}

function problemName(code: ErrorCode): string {
  return `${pascal(code)}Problem`;
}

/** The problem schema of every code that some response contains. */
export function problemSchemas(responses: Shared<JsonObject>): JsonObject {
  const text = JSON.stringify(responses.entries);
  return Object.fromEntries(
    CODES.filter((code) => text.includes(`/${problemName(code)}"`)).map((code) => {
      const statuses = statusesOf(code);
      const own = Type.Object({
        ...PROBLEM_MEMBERS[code],
        error: Type.Literal(code),
        status: statuses.length === 1 ? Type.Literal(statuses[0] ?? 0) : Type.Enum([...statuses]),
        retryable: Type.Literal(ERRORS[code].retryable),
      });
      const parts = [referenceTo('schemas', 'Problem'), wholeSchemaOf(own)];
      return [problemName(code), { description: ERRORS[code].title, allOf: parts }];
    }),
  );
}

function responseName(status: number, codes: readonly ErrorCode[]): string {
  const [only, other] = codes;
  const isUsual = only !== undefined && other === undefined && statusesOf(only)[0] === status;
  return isUsual ? pascal(only) : `Problem${String(status)}`;
}

/**
 * One response for codes that share a status.
 *
 * @param rebuilt - True if the route rebuilds answers: these codes may then be of a repeated request.
 */
export function problemAnswer(
  responses: Shared<JsonObject>,
  status: number,
  codes: readonly ErrorCode[],
  form?: JsonValue,
  rebuilt = false,
): JsonObject {
  const isReplay = rebuilt && codes.some((code) => OF_REBUILT.includes(code) || OF_DAMAGE.includes(code));
  const schemas = codes.map((code) => referenceTo('schemas', problemName(code)));
  const [only] = schemas;
  const schema = schemas.length === 1 && only !== undefined ? only : { oneOf: schemas };
  return responses.put(responseName(status, codes), {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join('; '),
    headers: headersOf([
      ...codes.flatMap((code) => HEADERS[code] ?? []),
      ...(isReplay ? ['Idempotency-Replayed'] : []),
    ]),
    content: {
      'application/problem+json': { schema },
      ...(form === undefined ? {} : { 'application/json': { schema: form } }),
    },
  });
}

/** Codes of requests that fail before their operation is known. */
const BEFORE_ANY: readonly ErrorCode[] = [
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'method_unknown',
];

/** The response, with any of these statuses, to requests that reach no operation. */
export function defaultAnswer(responses: Shared<JsonObject>): JsonObject {
  return responses.put('BeforeAnyOperation', {
    description: BEFORE_ANY.map(
      (code) => `${statusesOf(code).join(', ')} \`${code}\`: ${ERRORS[code].title}`,
    ).join('; '),
    content: {
      'application/problem+json': {
        schema: { oneOf: BEFORE_ANY.map((code) => referenceTo('schemas', problemName(code))) },
      },
    },
  });
}

/** Groups codes by HTTP status. */
export function byStatus(codes: readonly ErrorCode[]): ReadonlyMap<number, readonly ErrorCode[]> {
  const found = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    for (const status of statusesOf(code)) found.set(status, [...(found.get(status) ?? []), code]);
  }
  return found;
}

/** All error codes with their statuses, for `x-error-codes` in the document. */
export function errorList(): JsonObject {
  return Object.fromEntries(CODES.map((code) => [code, { ...ERRORS[code], statuses: statusesOf(code) }]));
}
