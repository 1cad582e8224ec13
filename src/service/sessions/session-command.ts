// The domain command for a new session, from a request that creates a session or starts one with its first run.
import type { CompletionSettings, Demands } from '../../domain/records/records.js';
import type { SessionCommand } from '../../domain/sessions/create.js';
import type * as api from '../../ports/api/index.js';
import type { IdSource } from '../../ports/runtime.js';
import type { Caller } from '../caller.js';

/** The members that both requests have. */
type NewSession = Pick<
  api.SessionCreate,
  | 'session_id'
  | 'session_name'
  | 'agent_name'
  | 'project_dir'
  | 'callback'
  | 'delivery'
  | 'state_context'
  | 'state_summary'
  | 'record'
> &
  Pick<api.RunCreate, 'demands'>;

/** @param parent - Id or name. */
export function sessionCommand(
  { context, actor }: Caller<{ readonly ids: IdSource }>,
  body: NewSession,
  parent: string | null,
  settings: CompletionSettings,
): Omit<SessionCommand, 'external'> {
  return {
    sessionId: body.session_id ?? context.ids.newId('ses'),
    isNewId: body.session_id === undefined,
    sessionName: body.session_name ?? null,
    parent,
    agentName: body.agent_name ?? null,
    projectDir: body.project_dir ?? null,
    callback: body.callback ?? false,
    delivery: body.delivery ?? null,
    settings,
    stateContext: body.state_context,
    stateSummary: body.state_summary,
    record: body.record,
    demands: demandsOf(body),
    creator: actor.kind === 'session' ? actor.sessionId : null,
  };
}

/** What a request demands of the runner that claims the session's runs. */
export function demandsOf({ demands }: Pick<api.RunCreate, 'demands'>): Demands {
  return {
    hostname: demands?.hostname ?? null,
    executorType: demands?.executor_type ?? null,
    tags: demands?.tags ?? [],
  };
}
