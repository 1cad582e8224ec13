// Wire contract of the WebSocket: the messages that a client may send. See docs/streams.md.
import { Type, type Static } from 'typebox';
import { closed, versionBefore } from '../common.js';
import { Position } from './streams.js';

const Id = Type.String({ minLength: 1, maxLength: 128 });

export const SocketSubscribe = Type.Object(
  {
    type: Type.Enum(['subscribe']),
    /** The client's own name for the subscription. The service assigns one if it is absent. */
    subscription: Type.Optional(Id),
    state_id: Type.Optional(Type.String({ maxLength: 128 })),
    root_session: Type.Optional(Type.String({ maxLength: 128 })),
    session: Type.Optional(Type.String({ maxLength: 128 })),
    key: Type.Optional(Type.String({ maxLength: 1024 })),
    since_version: Type.Optional(versionBefore('The version after which to begin; the present by default')),
    since: Type.Optional(Position),
    snapshot: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type SocketSubscribe = Static<typeof SocketSubscribe>;

export const SocketUnsubscribe = Type.Object({ type: Type.Enum(['unsubscribe']), subscription: Id }, closed);
export type SocketUnsubscribe = Static<typeof SocketUnsubscribe>;

export const SocketAuthenticate = Type.Object(
  { type: Type.Enum(['authenticate']), token: Type.String({ minLength: 1, maxLength: 4096 }) },
  closed,
);
export type SocketAuthenticate = Static<typeof SocketAuthenticate>;
