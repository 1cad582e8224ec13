// Wire contract of what the prompts of a session tell of the workflow state. An option of its creation.
import { Type } from 'typebox';

/** Both are on by default. */
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
};
