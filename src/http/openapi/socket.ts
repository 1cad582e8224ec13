// `/ws` in the OpenAPI document: the handshake, and the messages on the WebSocket.
import { Type } from 'typebox';
import type { ErrorCode } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json/json.js';
import * as api from '../../ports/api/index.js';
import { headersOf } from './headers.js';
import { wholeSchemas } from './schemas.js';

/** Error codes of a failed handshake, and of a plain GET. */
export const SOCKET_CODES: readonly ErrorCode[] = [
  'malformed_request',
  'invalid_request',
  'upgrade_required',
  'host_refused',
  'origin_refused',
  'unauthorized',
  'forbidden',
  'session_not_found',
  'method_not_allowed',
  'overloaded',
  'internal',
];

const Subscription = Type.String({ description: 'Name of the subscription' });

const SERVER_MESSAGES = {
  SocketAuthenticated: Type.Object({ type: Type.Literal('authenticated') }),
  SocketSubscribed: Type.Object({ type: Type.Literal('subscribed'), subscription: Subscription }),
  SocketUnsubscribed: Type.Object({ type: Type.Literal('unsubscribed'), subscription: Subscription }),
  SocketError: Type.Object({
    type: Type.Literal('error'),
    subscription: Type.Optional(Subscription),
    problem: api.Problem,
  }),
  SocketKeyChange: Type.Object({
    type: Type.Enum(['state_key_updated', 'state_key_deleted']),
    subscription: Subscription,
    id: Type.String(),
    data: Type.Object({ key: Type.String(), value: Type.Optional(api.Json), version: api.Version }),
  }),
  SocketEvent: Type.Object({
    type: Type.Enum([
      'workflow_state_updated',
      'workflow_state_deleted',
      'session_updated',
      'run_updated',
      'completion_updated',
      'callback_updated',
      'snapshot',
      'bookmark',
      'dropped',
    ]),
    subscription: Subscription,
    id: Type.String(),
    data: Type.Unsafe({
      type: 'object',
      description: 'As the `data` of the event of this type in `StreamEvent`',
    }),
  }),
};

const CLIENT_MESSAGES = {
  SocketSubscribe: api.SocketSubscribe,
  SocketUnsubscribe: api.SocketUnsubscribe,
  SocketAuthenticate: api.SocketAuthenticate,
};

/** @param problems - Its problem responses, by status. */
export function socketOperation(problems: JsonObject): JsonObject {
  return {
    operationId: 'openSocket',
    summary: 'Open a WebSocket, for any number of subscriptions',
    description:
      'A WebSocket handshake (RFC 6455), with `Upgrade: websocket`. Where the service asks for tokens, a token comes as `Authorization`, as the protocol `bearer.<token>` beside `countersign`, or in the first message. Each message is one JSON text, as `x-messages` has it. A member of `subscribe` that does not fit the others is `invalid_request`. See docs/streams.md.',
    tags: ['Streams'],
    security: [{ bearer: [] }, {}],
    parameters: [
      header('Upgrade', 'The protocol that is asked for', 'websocket'),
      header('Sec-WebSocket-Protocol', '`countersign`, and `bearer.<token>` where a browser shows a token'),
    ],
    responses: {
      '101': { description: 'The WebSocket is open', headers: headersOf(['Upgrade']) },
      ...problems,
    },
    'x-messages': { client: wholeSchemas(CLIENT_MESSAGES), server: wholeSchemas(SERVER_MESSAGES) },
  };
}

function header(name: string, description: string, example?: string): JsonObject {
  return {
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
    ...(example === undefined ? {} : { example }),
  };
}
