// Wire contract of the hooks of agent CLIs. The input, and by default the reply, has the client's own format.
import { Type, type Static } from 'typebox';
import type { JsonObject } from '../../domain/json/json.js';
import { closed, Name } from './common.js';
import { Wait } from './sessions.js';

/**
 * The input that a client gives its hooks. Members differ between releases; those that the service reads are
 * checked.
 */
export const HookInput = Type.Unsafe<JsonObject>({
  title: 'HookInput',
  type: 'object',
  description: "The hook's input, as the client writes it",
});

/** The reply that the client expects from its hooks. */
export const HookAnswer = Type.Unsafe<JsonObject>({
  type: 'object',
  description: "The hook's answer, in the client's own form",
});

export const HookQuery = Type.Object(
  {
    session: Type.Optional(Name),
    wait: Type.Optional(Wait),
    refusals_max: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
    agents: Type.Optional(
      Type.String({ maxLength: 2048, description: 'Types of sub-agents, separated by commas' }),
    ),
    url: Type.Optional(Type.String({ pattern: '^https?://[^\\s\'"<>]+$', maxLength: 2048 })),
    invocation: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'Id of this hook invocation. A request with the same id concerns the same stop',
      }),
    ),
    wake: Type.Optional(
      Type.Boolean({
        description: 'true: what wakes a session that is idle after this stop, once there is something',
      }),
    ),
    heard: Type.Optional(
      Type.Boolean({
        description:
          'With wake, true: the answer to this invocation arrived; the next stop acknowledges its callbacks',
      }),
    ),
    awaited: Type.Optional(
      Type.Boolean({
        description: 'true: only a notice for people, of a stop: which children of the session are at work',
      }),
    ),
    within: Type.Optional(
      Type.String({
        maxLength: 2048,
        description: 'Sessions of clients from within which this one was started, separated by commas',
      }),
    ),
    event: Type.Optional(
      Type.Enum(['session-start', 'stop', 'subagent-stop', 'pre-tool-use', 'session-end'], {
        description: 'What the input has to be about',
      }),
    ),
    form: Type.Optional(Type.Enum(['client', 'verdict'])),
  },
  closed,
);
export type HookQuery = Static<typeof HookQuery>;

/** The verdict on a hook event, independent of the client. */
export const HookVerdictView = Type.Object({
  verdict: Type.Enum(['begin', 'go_on', 'end', 'waiting', 'allow', 'deny']),
  text: Type.Union([Type.String(), Type.Null()]),
  environment: Type.Optional(Type.Record(Type.String(), Type.String())),
});
export type HookVerdictView = Static<typeof HookVerdictView>;
