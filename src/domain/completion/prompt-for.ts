// Builds the prompt for a session from the records that a decision has loaded.
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { locationWithExample } from '../prompts/named-location.js';
import { shownVersion, updatePrompt } from './prompts.js';

/** @returns The prompt of a level, the state, and its version whose whole document the prompt shows (`null` for none). */
export function promptFor(
  unit: UnitOfWork,
  sessionId: string,
  level: 1 | 2 | 3,
  environmentTrouble: boolean,
): { readonly prompt: string; readonly stateId: string; readonly shown: number | null } {
  const { session } = unit.aggregate(sessionId);
  const view = unit.view(session.rootSessionId);
  if (view === null) throw new Error(`session ${sessionId} is asked to write to no state`);
  const completion = unit.completion(sessionId);
  const { named, example } = locationWithExample(completion.settings, view, unit.context);
  const facts = {
    session,
    completion,
    view,
    level,
    named,
    example,
    environmentTrouble,
    sectionBytesMax: unit.context.limits.promptSectionBytesMax,
  };
  return { prompt: updatePrompt(facts), stateId: view.stateId, shown: shownVersion(facts) };
}
