// Flags of the commands that create sessions: what goes between the session and the workflow state by itself.
import { choiceFlag, type Values } from '../../flag.js';
import { given } from '../page.js';

const SWITCH = ['on', 'off'] as const;

export const statePromptFlags = {
  stateContext: choiceFlag(
    '--state-context <switch>',
    'whether its first prompt says what to record in the state, and how',
    SWITCH,
  ),
  stateSummary: choiceFlag(
    '--state-summary <switch>',
    'whether callbacks of its children come with a summary of the state',
    SWITCH,
  ),
  record: choiceFlag('--record <switch>', 'whether the workflow record of its tree shows it', SWITCH),
};

/** The request members of the flags; flags that are not given are omitted. */
export function statePromptsOf(flags: Values<typeof statePromptFlags>): {
  state_context?: boolean;
  state_summary?: boolean;
  record?: boolean;
} {
  const { stateContext, stateSummary, record } = flags;
  return given({
    state_context: isOn(stateContext),
    state_summary: isOn(stateSummary),
    record: isOn(record),
  });
}

/** @returns `undefined` if the flag is absent. */
function isOn(value: (typeof SWITCH)[number] | undefined): boolean | undefined {
  return value === undefined ? undefined : value === 'on';
}
