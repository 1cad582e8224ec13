// All headers that the API reads or sends: schema and meaning.
import type { JsonObject } from '../../domain/json/json.js';
import { ID } from '../../domain/names.js';
import { ON_EVERY_REPLY } from '../replies/reply-headers.js';
import type { HeaderUse } from '../route.js';
import { referenceTo } from './schemas.js';
import { pascal } from './names.js';

interface HeaderSpec {
  readonly description: string;
  readonly schema?: JsonObject;
  readonly example?: string;
}

const TEXT: JsonObject = { type: 'string' };
const ID_OR_NAME: JsonObject = { ...TEXT, pattern: ID.source };
const tags = '(?:W/)?"[!#-~]*"';
/** Lists may have empty elements (RFC 9110, section 5.6.1). */
const TAG_LIST: JsonObject = {
  type: 'string',
  pattern: `^([ \\t]*\\*[ \\t]*|[ \\t,]*${tags}([ \\t]*,[ \\t,]*${tags})*[ \\t,]*)$`,
};

/** Response headers. */
export const RESPONSE_HEADERS: Readonly<Record<string, HeaderSpec>> = {
  'X-Request-Id': {
    description: 'Names the request in the log: the one that the caller gave, where a log can hold it',
    example: 'req_3e9Ftc70_b',
  },
  ETag: { description: 'Entity tag of what is answered, for `If-Match` and `If-None-Match`', example: '"7"' },
  'Countersign-Warning': {
    description: 'Of a write whose document is close to the size that it may have',
    example: 'stateBytesMax; actual=900000; maximum=1048576',
  },
  Location: { description: 'Path of what was made', example: '/sessions/ses_example' },
  Allow: { description: 'The methods that the path takes', example: 'GET, HEAD, PUT' },
  'Accept-Patch': {
    description: 'The content types that a PATCH takes',
    example: 'application/merge-patch+json',
  },
  'Accept-Encoding': { description: 'The content encodings that a body may have', example: 'identity' },
  'Retry-After': {
    description: 'Seconds after which the request is worth sending again',
    schema: { type: 'integer', minimum: 0 },
    example: '1',
  },
  'WWW-Authenticate': { description: 'The scheme in which a token is shown', example: 'Bearer' },
  'Idempotency-Replayed': {
    description: '`true` where this is the kept answer to an earlier request with the same `Idempotency-Key`',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  Upgrade: { description: 'The protocol that is spoken here', example: 'websocket' },
  'Sec-WebSocket-Version': { description: 'The version of the protocol that is spoken here', example: '13' },
  'Cache-Control': { description: 'That nobody keeps the answer, or for how long', example: 'no-store' },
  'X-Accel-Buffering': { description: 'That proxies pass on each event as it comes', example: 'no' },
  'MCP-Protocol-Version': {
    description: 'The revision of the protocol that is spoken',
    example: '2025-06-18',
  },
  'Content-Security-Policy': {
    description: 'What the page may load: nothing',
    example: "default-src 'none'",
  },
  'X-Content-Type-Options': { description: 'That nobody guesses another type', example: 'nosniff' },
  'X-Workflow-State-Version': {
    description:
      'The version of the state that a key is in: its own entity tag stays where others are written',
    schema: { type: 'integer', minimum: 1 },
    example: '7',
  },
  Vary: { description: 'The request headers that the answer depends on', example: 'Origin' },
};

/** Headers of every response, in the case used here. */
const EVERYWHERE: readonly string[] = ['x-request-id', ...Object.keys(ON_EVERY_REPLY)].map(
  (name) => Object.keys(RESPONSE_HEADERS).find((known) => known.toLowerCase() === name) ?? name,
);

/** Request headers. A header without an entry accepts any text. */
const REQUEST_HEADERS: Readonly<Record<string, HeaderSpec>> = {
  'If-Match': { description: 'The entity tags that are expected, or *', schema: TAG_LIST, example: '"7"' },
  'If-None-Match': { description: 'The entity tags that the caller has, or *', schema: TAG_LIST },
  'Idempotency-Key': {
    description:
      'New for each request: one that is sent again with its key happens once, and has the first answer for 24 hours',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]([ -~]*[!-~])?$' },
  },
  'X-Tool-Call-Id': {
    description:
      'The call of a tool that the request is part of, 16 to 255 printable ASCII characters: events name it. Anything else is passed over',
  },
  'X-Request-Id': {
    description:
      'Up to 128 letters, digits and . _ : @ / + = -, for the log and the answer. Anything else is passed over',
  },
  'X-Agent-Session-Id': {
    description:
      'On an open loopback: the id of the session that calls. With neither this nor the name, the operator calls',
    schema: ID_OR_NAME,
  },
  'X-Agent-Session-Name': {
    description: 'On an open loopback: the name of the session that calls',
    schema: ID_OR_NAME,
  },
};

/** References to the headers of a response. */
export function headersOf(names: readonly string[]): JsonObject {
  return Object.fromEntries(
    [...new Set([...EVERYWHERE, ...names])].map((name) => [name, referenceTo('headers', pascal(name))]),
  );
}

export function headerComponents(): JsonObject {
  return Object.fromEntries(
    Object.entries(RESPONSE_HEADERS).map(([name, { schema = TEXT, ...spec }]) => [
      pascal(name),
      {
        ...spec,
        schema,
        ...(spec.example === undefined ? {} : { example: exampleOf(schema, spec.example) }),
      },
    ]),
  );
}

function exampleOf(schema: JsonObject, text: string): string | number {
  return schema['type'] === 'integer' ? Number(text) : text;
}

/** A request header as a parameter. */
export function headerParameter(name: string, use?: HeaderUse): JsonObject {
  const { description: usual = '', schema = TEXT } = REQUEST_HEADERS[name] ?? {};
  const parameter = { name, in: 'header', required: false };
  if (typeof use !== 'object') return { ...parameter, description: use ?? usual, schema };
  const { description, pattern } = use;
  return { ...parameter, description, schema: pattern === '' ? TEXT : { ...TEXT, pattern } };
}
