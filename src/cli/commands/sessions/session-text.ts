// A session as text for a terminal.
import type { SessionView } from '../../../ports/api/index.js';
import type { Output } from '../../text/output.js';
import { record, time } from '../../text/table.js';

/** One line per member. */
export function sessionText(out: Output, session: SessionView): string {
  return record(out.style, [
    ['session', session.session_id],
    ['name', session.session_name],
    ['status', session.status],
    ['state update', session.state_update_status],
    ['state', session.workflow_state_id],
    ['parent', session.parent_session_name],
    ['root', session.root_session_id],
    ['agent', session.agent_name],
    ['project dir', session.project_dir],
    ['executor', session.executor_type],
    ['hostname', session.hostname],
    ['callback', session.callback],
    ['delivery', session.delivery],
    ['callback url', session.callback_url],
    ['external', session.external ? true : undefined],
    ['generation', session.generation],
    ['created', time(session.created_at)],
    ['updated', time(session.updated_at)],
  ]);
}
