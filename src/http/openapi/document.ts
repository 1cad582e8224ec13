// Builds the OpenAPI 3.1 document from the route definitions and from the schemas that validate requests.
import type { TSchema } from 'typebox';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import type { ReplySpec, Route } from '../route.js';
import { DESCRIPTIONS, TAGS } from './descriptions.js';
import { EXAMPLES, type Example } from './examples/index.js';
import { headerComponents, headerParameter, headersOf } from './headers.js';
import { pascal, Shared } from './names.js';
import {
  byStatus,
  defaultAnswer,
  errorList,
  errorsOf,
  hasMember,
  problemAnswer,
  problemSchemas,
  rebuildsAnswers,
  takesKey,
} from './problems.js';
import { wholeSchemas, plain, schemaOf } from './schemas.js';
import { socketOperation, SOCKET_CODES } from './socket.js';
import { WARNING_HEADER } from '../replies/size-warning.js';
import { messageSchemas, webhookParameters, webhooksSection } from './webhooks.js';

/** Components collected while the operations are described. */
class Components {
  readonly responses = new Shared<JsonObject>('responses');
  readonly parameters = new Shared<JsonObject>('parameters');
}

function bodyOf({ schema, anyOf }: ReplySpec): JsonValue | undefined {
  if (anyOf !== undefined) return { anyOf: anyOf.map(schemaOf) };
  return schema === undefined ? undefined : schemaOf(schema);
}

function answer(spec: ReplySpec, keyed: boolean, example: JsonValue | undefined): JsonObject {
  const { description, contentType = 'application/json', etag, location, headers = [], other } = spec;
  const schema = bodyOf(spec);
  const names = [
    ...(etag === true ? ['ETag'] : []),
    ...(location === true ? ['Location'] : []),
    ...(hasMember(spec, 'warnings') ? [WARNING_HEADER] : []),
    ...(keyed ? ['Idempotency-Replayed'] : []),
    ...headers,
  ];
  const shown = example === undefined ? {} : { examples: exampleOf(example) };
  const isOther = other !== undefined && typeof example === 'string';
  const content = {
    ...(schema === undefined ? {} : { [contentType]: { schema, ...(isOther ? {} : shown) } }),
    ...(other === undefined
      ? {}
      : { [other.contentType]: { schema: schemaOf(other.schema), ...(isOther ? shown : {}) } }),
  };
  return {
    description,
    headers: headersOf(names),
    ...(Object.keys(content).length === 0 ? {} : { content }),
  };
}

function exampleOf(value: JsonValue): JsonObject {
  return { example: { value } };
}

function responses(route: Route, { responses }: Components, example: Example | undefined): JsonObject {
  const problems = byStatus(errorsOf(route));
  const own = Object.entries(route.answers).map(([status, spec]): [string, JsonObject] => [
    status,
    answer(spec, takesKey(route), Number(status) === example?.status ? example.answer : undefined),
  ]);
  const answers = new Map<string, JsonObject>(own);
  for (const [status, codes] of problems) {
    // The route's own response with that status, which is not a problem document.
    const spec = route.answers[status];
    const form = spec === undefined ? undefined : bodyOf(spec);
    answers.set(String(status), problemAnswer(responses, status, codes, form, rebuildsAnswers(route)));
  }
  const sorted = [...answers].sort(([one], [other]) => one.localeCompare(other));
  return { ...Object.fromEntries(sorted), default: defaultAnswer(responses) };
}

/** The component name of a path parameter: `id` of `/sessions/{id}` is `SessionId`. */
function pathParameterName(path: string, name: string): string {
  const before =
    path
      .slice(0, path.indexOf(`/{${name}}`))
      .split('/')
      .at(-1) ?? '';
  const noun = pascal(before).replace(/ies$/, 'y').replace(/s$/, '');
  return pascal(name) === noun ? noun : `${noun}${pascal(name.replace(/^.*_/, ''))}`;
}

function parametersIn(
  location: 'path' | 'query',
  route: Route,
  schema: TSchema,
  example: Example | undefined,
  { parameters }: Components,
): JsonValue[] {
  const object = plain(schema);
  if (!isJsonObject(object) || !isJsonObject(object['properties'])) return [];
  const required = isJsonArray(object['required']) ? object['required'] : [];
  const properties: Readonly<Record<string, TSchema>> =
    'properties' in schema ? (schema.properties as Record<string, TSchema>) : {}; // parsing: as TypeBox stores it
  return Object.entries(properties).map(([name, member]) => {
    const form = schemaOf(member);
    const description = isJsonObject(form) ? form['description'] : undefined;
    const value = (location === 'path' ? example?.path : example?.query)?.[name];
    const parameter: JsonObject = {
      name,
      in: location,
      required: required.includes(name),
      ...(typeof description === 'string' ? { description } : {}),
      schema: form,
      ...(value === undefined || location === 'query' ? {} : { example: value }),
    };
    const shared = location === 'path' ? pathParameterName(route.path, name) : `${pascal(name)}Query`;
    return parameters.put(shared, parameter);
  });
}

function parametersOf(route: Route, example: Example | undefined, components: Components): JsonValue[] {
  const headers = [
    ...Object.entries(route.headers ?? {}).map(([name, words]) => headerParameter(name, words)),
    ...(takesKey(route) ? [headerParameter('Idempotency-Key')] : []),
    ...(route.access === 'caller'
      ? ['X-Agent-Session-Id', 'X-Agent-Session-Name', 'X-Tool-Call-Id'].map((name) => headerParameter(name))
      : []),
    headerParameter('X-Request-Id'),
  ];
  return [
    ...parametersIn('path', route, route.params, example, components),
    ...parametersIn('query', route, route.query, example, components),
    ...headers.map((header) => components.parameters.put(pascal(nameOf(header)), header)),
  ];
}

function nameOf({ name }: JsonObject): string {
  return typeof name === 'string' ? name : '';
}

function operation(route: Route, components: Components): JsonObject {
  const example = EXAMPLES[route.operationId];
  const sent = example?.contentType ?? route.bodies[0]?.contentType;
  const content = route.bodies.map(({ contentType, schema }): [string, JsonValue] => [
    contentType,
    {
      schema: schemaOf(schema),
      ...(example?.body !== undefined && contentType === sent ? { examples: exampleOf(example.body) } : {}),
    },
  ]);
  const required = route.bodies.some((body) => !body.optional);
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: DESCRIPTIONS[route.operationId] ?? `${route.summary}.`,
    tags: [route.tag],
    security: route.access === 'caller' ? [{ bearer: [] }, {}] : [{}],
    parameters: parametersOf(route, example, components),
    ...(content.length === 0 ? {} : { requestBody: { required, content: Object.fromEntries(content) } }),
    responses: responses(route, components, example),
  };
}

function socketPath(components: Components): JsonObject {
  const problems = [...byStatus(SOCKET_CODES)].map(([status, codes]): [string, JsonObject] => [
    String(status),
    problemAnswer(components.responses, status, codes),
  ]);
  return socketOperation({
    ...Object.fromEntries(problems),
    default: defaultAnswer(components.responses),
  });
}

function tagList(routes: readonly Route[]): JsonObject[] {
  return [...new Set(routes.map((route) => route.tag))].map((name) => {
    const description = TAGS[name];
    return description === undefined ? { name } : { name, description };
  });
}

/**
 * Builds the document.
 *
 * @param version - Version of the product.
 */
export function openApiDocument(routes: readonly Route[], version: string): JsonObject {
  const components = new Components();
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route, components) };
  }
  paths['/ws'] = { get: socketPath(components) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version,
      summary: 'Workflow state for trees of agent sessions',
      description:
        'Schema-bound workflow state for trees of agent sessions, with an enforced two-phase child completion.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that serves this document' }],
    tags: tagList(routes),
    paths,
    webhooks: webhooksSection(),
    components: {
      schemas: { ...wholeSchemas(), ...messageSchemas(), ...problemSchemas(components.responses) },
      responses: components.responses.entries,
      parameters: { ...components.parameters.entries, ...webhookParameters() },
      headers: headerComponents(),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of the service, or of a session. Needed where the service runs with `--auth`',
        },
        webhookSignature: {
          type: 'apiKey',
          in: 'header',
          name: 'webhook-signature',
          description: 'Standard Webhooks: how a receiver knows that a message is from the service',
        },
      },
    },
    'x-error-codes': errorList(),
  };
}
