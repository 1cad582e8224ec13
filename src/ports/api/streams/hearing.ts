// Wire contract of reads that wait for a state.
import { Type, type Static } from 'typebox';
import { closed } from '../common.js';
import { condition } from '../states/patches.js';
import { StateAtPointer, StateEnvelope } from '../states/states.js';

const timedOut = Type.Optional(
  Type.Boolean({ description: 'True where the wait for a newer version ended without one' }),
);

export const StateRead = Type.Object({ ...StateEnvelope.properties, timed_out: timedOut });
export type StateRead = Static<typeof StateRead>;

export const StateReadAtPointer = Type.Object({ ...StateAtPointer.properties, timed_out: timedOut });
export type StateReadAtPointer = Static<typeof StateReadAtPointer>;

export const StateWait = Type.Object(
  {
    until: condition('What the document has to satisfy'),
    fail_on: Type.Optional(condition('Documents on which to give up: they can no longer satisfy `until`')),
    timeout_ms: Type.Optional(
      Type.Integer({ minimum: 0, description: 'How long to wait; cut at the bound of all waits' }),
    ),
  },
  closed,
);
export type StateWait = Static<typeof StateWait>;

export const StateWaited = Type.Object({
  ...StateEnvelope.properties,
  matched: Type.Boolean({ description: 'The document satisfies `until`' }),
  failed: Type.Optional(Type.Boolean({ description: 'True where it satisfies `fail_on` instead' })),
});
export type StateWaited = Static<typeof StateWaited>;
