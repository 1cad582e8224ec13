// The prompt for a session that ends its turn in the midst of a state update run: the runner's, so the attempt is not
// over, and the coordinator asks again after it. The hook says once more what is asked, in the next stronger words.
import { openAttemptOf, promptLevel } from '../completion/attempts.js';
import { promptFor } from '../completion/ask.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { accepted, type Outcome } from '../errors.js';
import { findSession, noSession } from '../sessions/create.js';

/** @returns The prompt; `null` where nothing is asked of the session now; or `session_not_found`. Writes nothing. */
export function repeatedPrompt(draft: UnitOfWork, idOrName: string): Outcome<string | null> {
  const session = findSession(draft, idOrName);
  if (session === null) return noSession(idOrName);
  const completion = draft.completion(session.sessionId);
  if (completion.status !== 'pending' || openAttemptOf(completion) === null) return accepted(null);
  if (draft.view(session.rootSessionId) === null) return accepted(null);
  const level = promptLevel(completion.attempt + 1);
  return accepted(promptFor(draft, session.sessionId, level, false).prompt);
}
