// What a session is given when it is created, and keeps. A request that gives it work cannot change that.
import { ok, invalidMember, type Result } from '../../domain/errors.js';
import type { Session } from '../../domain/records/records.js';
import type * as api from '../../ports/api/index.js';

/**
 * Refuses a request that gives an existing session work and, with it, what the session does not have. To name what it
 * has is no fault: a client may send the same members each time.
 */
export function checkSetAtCreation(session: Session, body: api.RunCreate): Result<null> {
  const { sessionName, parentSessionId, parentSessionName } = session;
  const parents = [parentSessionId, parentSessionName];
  const members: readonly (readonly [name: keyof api.RunCreate, has: readonly unknown[]])[] = [
    ['agent_name', [session.agentName]],
    ['project_dir', [session.projectDir]],
    ['parent_session_id', parents],
    ['parent_session_name', parents],
    ['delivery', [session.delivery]],
    ['state_context', [session.stateContext]],
    ['state_summary', [session.stateSummary]],
    ['record', [session.recorded]],
  ];
  for (const [name, has] of members) {
    const given = body[name];
    if (given === undefined || has.includes(given)) continue;
    const expected = has[0] === null ? `no ${name}` : `no ${name}, or ${JSON.stringify(has[0])}`;
    return invalidMember(`/${name}`, `was set when ${sessionName} was created, and stays`, expected);
  }
  return ok(null);
}
