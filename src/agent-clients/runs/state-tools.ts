// Names of the state tools, as clients offer them under the name of their server.

/** All tools of the coordinator's MCP server; test/agent-clients/runs/state-tools.test.ts keeps the list complete. */
export const STATE_TOOLS: readonly string[] = [
  'get_agent_session_result',
  'get_agent_session_status',
  'list_agent_blueprints',
  'list_agent_sessions',
  'resume_agent_session',
  'start_agent_session',
  'state_append',
  'state_create',
  'state_delete',
  'state_get',
  'state_increment',
  'state_patch',
  'state_read',
  'state_schema',
  'state_set',
  'state_update',
  'stop_agent_session',
  'wait_for_state',
  'workflow_record',
];
