// The prompt for a session that ends its turn during a state update run. The run belongs to the runner, so the
// attempt is not over, and the service asks again after it. The hook repeats the request at the next prompt
// level.
import { openAttemptOf, promptLevel } from '../completion/attempts.js';
import { promptFor } from '../completion/prompt-for.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { ok, type Result } from '../errors.js';
import { findSession, noSession } from '../sessions/create.js';

/**
 * Writes nothing.
 *
 * @returns The prompt; `null` if nothing is requested of the session now; or `session_not_found`.
 */
export function repeatedPrompt(unit: UnitOfWork, idOrName: string): Result<string | null> {
  const session = findSession(unit, idOrName);
  if (session === null) return noSession(idOrName);
  const completion = unit.completion(session.sessionId);
  if (completion.status !== 'pending' || openAttemptOf(completion) === null) return ok(null);
  if (unit.view(session.rootSessionId) === null) return ok(null);
  const level = promptLevel(completion.attempt + 1);
  return ok(promptFor(unit, session.sessionId, level, false).prompt);
}
