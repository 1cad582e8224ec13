// Wire contract of what goes between a session and the workflow state by itself: prompts and entries of the workflow
// record. Options of its creation.
import { Type } from 'typebox';

/** All are on by default. */
export const statePrompts = {
  state_context: Type.Optional(
    Type.Boolean({
      description:
        'false: where a runner runs it as a child, its first prompt does not say what to record in the state, and how',
    }),
  ),
  state_summary: Type.Optional(
    Type.Boolean({ description: 'false: callbacks of its children reach it without a summary of the state' }),
  ),
  record: Type.Optional(
    Type.Boolean({ description: 'false: the workflow record of its tree leaves out what it does' }),
  ),
};
