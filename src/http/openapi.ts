// The OpenAPI 3.1 document, made from the same definitions that are served and the same schemas that validate.
import type { TSchema } from 'typebox';
import { ERRORS, type ErrorCode } from '../domain/errors.js';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../domain/json.js';
import { COMPONENTS } from '../ports/api/components.js';
import { statusesOf } from './problem.js';
import type { AnswerSpec, Route } from './route.js';

const ALWAYS: readonly ErrorCode[] = ['invalid_request', 'host_refused', 'origin_refused', 'internal'];
const OF_KEYED: readonly ErrorCode[] = ['idempotency_in_flight', 'idempotency_mismatch'];
const OF_CALLERS: readonly ErrorCode[] = [
  'unauthorized',
  'forbidden',
  'session_not_found',
  'overloaded',
  'record_damaged',
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

type Member = readonly [string, JsonValue];

function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERRORS, text);
}

/** A schema as plain JSON, without what the library keeps on it. */
function plain(schema: TSchema): JsonValue {
  return JSON.parse(JSON.stringify(schema)) as JsonValue;
}

const nameByText = new Map(
  Object.entries(COMPONENTS).map(([name, schema]) => [JSON.stringify(schema), name]),
);

function referenceTo(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** Replaces what has a name by a reference to it; `whole` keeps the value itself from being replaced. */
function withReferences(value: JsonValue, whole = false): JsonValue {
  if (isJsonArray(value)) return value.map((item) => withReferences(item));
  if (!isJsonObject(value)) return value;
  const name = whole ? undefined : nameByText.get(JSON.stringify(value));
  if (name !== undefined) return referenceTo(name);
  return Object.fromEntries(Object.entries(value).map(([member, item]) => [member, withReferences(item)]));
}

function schemaOf(schema: TSchema): JsonValue {
  return withReferences(plain(schema));
}

/** Every code that a route can be answered with. */
export function errorsOf(route: Route): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([
    ...route.errors,
    ...(route.bodies.length > 0 ? OF_BODIES : []),
    ...(route.access === 'caller' ? OF_CALLERS : []),
    ...(takesKey(route) ? OF_KEYED : []),
    ...ALWAYS,
  ]);
  return [...codes];
}

function problemAnswers(route: Route): Record<string, JsonValue> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(route)) {
    for (const status of statusesOf(code)) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const answers = [...byStatus].map(([status, codes]): [string, JsonValue] => [
    String(status),
    {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join('; '),
      content: {
        'application/problem+json': {
          schema: { allOf: [referenceTo('Problem'), { properties: { error: { enum: codes } } }] },
        },
      },
    },
  ]);
  return Object.fromEntries(answers);
}

function answer({
  description,
  schema,
  oneOf,
  contentType = 'application/json',
  etag,
}: AnswerSpec): JsonValue {
  const forms = oneOf?.map(schemaOf);
  const body = forms !== undefined ? { oneOf: forms } : schema === undefined ? undefined : schemaOf(schema);
  return {
    description,
    ...(etag === true ? { headers: { ETag: { $ref: '#/components/headers/ETag' } } } : {}),
    ...(body === undefined ? {} : { content: { [contentType]: { schema: body } } }),
  };
}

function parametersIn(place: 'path' | 'query', schema: TSchema): JsonValue[] {
  const object = plain(schema);
  if (!isJsonObject(object) || !isJsonObject(object['properties'])) return [];
  const required = isJsonArray(object['required']) ? object['required'] : [];
  return Object.entries(object['properties']).map(([name, member]) => {
    const description = isJsonObject(member) ? member['description'] : undefined;
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(typeof description === 'string' ? { description } : {}),
      schema: withReferences(member),
    };
  });
}

function parametersOf(route: Route): JsonValue[] {
  const headers = Object.entries(route.headers ?? {}).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
  const identity =
    route.access === 'caller'
      ? ['SessionId', 'SessionName', 'ToolCallId', ...(takesKey(route) ? ['IdempotencyKey'] : [])].map(
          (name) => ({ $ref: `#/components/parameters/${name}` }),
        )
      : [];
  return [
    ...parametersIn('path', route.params),
    ...parametersIn('query', route.query),
    ...headers,
    ...identity,
  ];
}

function operation(route: Route): JsonValue {
  const content = route.bodies.map(({ contentType, schema }): Member => [
    contentType,
    { schema: schemaOf(schema) },
  ]);
  const required = route.bodies.some((body) => !body.optional);
  const answers = Object.entries(route.answers).map(([status, spec]): Member => [status, answer(spec)]);
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [route.tag],
    security: route.access === 'caller' ? [{ bearer: [] }, {}] : [{}],
    parameters: parametersOf(route),
    ...(content.length === 0 ? {} : { requestBody: { required, content: Object.fromEntries(content) } }),
    responses: { ...problemAnswers(route), ...Object.fromEntries(answers) },
  };
}

/** True where an `Idempotency-Key` is read. */
function takesKey(route: Route): boolean {
  return route.access === 'caller' && route.method !== 'GET' && route.keyed !== false;
}

const IDEMPOTENCY_KEY: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'New for each request: one that is sent again with its key happens once, and has the first answer for 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const TOOL_CALL: JsonObject = {
  name: 'X-Tool-Call-Id',
  in: 'header',
  required: false,
  description:
    'The call of a tool that the request is part of, 16 to 255 printable ASCII characters; events name it.',
  schema: { type: 'string' },
};

function sessionHeader(name: string, what: string): JsonObject {
  return {
    name,
    in: 'header',
    required: false,
    description: `On an open loopback: the ${what} of the session that calls. With neither header, the operator.`,
    schema: { type: 'string' },
  };
}

/** A code of the closed list with its statuses, as the document holds it under `x-error-codes`. */
function errorList(): JsonObject {
  const codes = Object.keys(ERRORS).filter(isErrorCode);
  return Object.fromEntries(codes.map((code) => [code, { ...ERRORS[code], statuses: statusesOf(code) }]));
}

/**
 * Makes the document.
 *
 * @param version - Of the product.
 */
export function openApiDocument(routes: readonly Route[], version: string): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  const schemas = Object.entries(COMPONENTS).map(([name, schema]): Member => [
    name,
    withReferences(plain(schema), true),
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version,
      description:
        'Schema-bound workflow state for trees of agent sessions, with an enforced two-phase child completion.',
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(schemas),
      headers: {
        ETag: { description: 'The version of the state, such as `"7"`', schema: { type: 'string' } },
      },
      parameters: {
        SessionId: sessionHeader('X-Agent-Session-Id', 'id'),
        SessionName: sessionHeader('X-Agent-Session-Name', 'name'),
        ToolCallId: TOOL_CALL,
        IdempotencyKey: IDEMPOTENCY_KEY,
      },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A token of the service, or of a run' },
      },
    },
    'x-error-codes': errorList(),
  };
}
