// The prompt for a session as it stands, from what a decision has loaded.
import type { Draft } from '../draft.js';
import { placeToName } from './place.js';
import { shownVersion, updatePrompt } from './prompts.js';

/** @returns The prompt of a level, and the version of the document that it shows whole (`null` for none). */
export function promptFor(
  draft: Draft,
  sessionId: string,
  level: 1 | 2 | 3,
  environmentTrouble: boolean,
): { readonly prompt: string; readonly shown: number | null } {
  const { session } = draft.desk(sessionId);
  const view = draft.view(session.rootSessionId);
  if (view === null) throw new Error(`session ${sessionId} is asked to write to no state`);
  const facts = {
    session,
    completion: draft.completion(sessionId),
    view,
    level,
    place: placeToName(draft.completion(sessionId).settings, view, draft.context.ruledOut),
    environmentTrouble,
    sectionBytesMax: draft.context.limits.promptSectionBytesMax,
  };
  return { prompt: updatePrompt(facts), shown: shownVersion(facts) };
}
