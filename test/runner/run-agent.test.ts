import { describe, expect, it } from 'vitest';
import type { AgentOfRun } from '../../src/ports/api/index.js';
import { agentOf } from '../../src/runner/run-agent.js';
import { claimedRun } from './claimed-run.js';

const AGENT: AgentOfRun = {
  name: 'reviewer',
  fault: null,
  command: null,
  args: ['--quiet'],
  model: 'large',
  system_prompt: 'Be kind. ${HOME}',
  mcp_servers: {},
  environment: ['KEY'],
};
const SURROUNDINGS = {
  environment: {
    AGENT_SESSION_ID: 'ses_1',
    AGENT_SESSION_NAME: 'child',
    AGENT_ROOT_SESSION_ID: 'ses_0',
    COUNTERSIGN_URL: 'http://127.0.0.1:1',
    COUNTERSIGN_TOKEN: 'a.b.c',
  },
  projectDir: '/work',
  own: { KEY: 'secret', COUNTERSIGN_TOKEN: 'own' },
};
const of = (agent: Partial<AgentOfRun>) =>
  agentOf(claimedRun({ agent: { ...AGENT, ...agent } }), SURROUNDINGS);

describe('the agent of a run', () => {
  it('is none where the run has none', () => {
    expect(agentOf(claimedRun(), SURROUNDINGS)).toBeNull();
  });

  it('has the placeholders of its MCP servers filled in, and nothing else', () => {
    const agent = of({
      mcp_servers: {
        web: {
          type: 'http',
          url: '${COUNTERSIGN_URL}/${AGENT_SESSION_NAME}/${COUNTERSIGN_RUN_ID}',
          headers: { Authorization: 'Bearer ${COUNTERSIGN_TOKEN}', key: '${env:KEY}' },
        },
        files: {
          type: 'stdio',
          command: 'serve-files',
          args: ['${PROJECT_DIR}', '$${x}', '[${WORKFLOW_STATE_ID}]'],
          env: { ROOT: '${AGENT_ROOT_SESSION_ID}', ME: '${AGENT_SESSION_ID}' },
        },
      },
    });
    expect(agent).toEqual({
      name: 'reviewer',
      command: null,
      args: ['--quiet'],
      model: 'large',
      systemPrompt: 'Be kind. ${HOME}',
      mcpServers: {
        web: {
          type: 'http',
          url: 'http://127.0.0.1:1/child/run_1',
          headers: { Authorization: 'Bearer a.b.c', key: 'secret' },
        },
        files: {
          type: 'stdio',
          command: 'serve-files',
          args: ['/work', '${x}', '[]'],
          env: { ROOT: 'ses_0', ME: 'ses_1' },
        },
      },
    });
  });

  it.each([
    ['a variable that is not set here', { environment: ['NONE'] }, '${env:NONE}'],
    ['a variable that the file does not list', { environment: [] }, '${env:KEY}'],
    ["the runner's own", { environment: ['COUNTERSIGN_TOKEN'] }, '${env:COUNTERSIGN_TOKEN}'],
    ['something unknown', {}, '${HOME}'],
  ])('cannot be run with %s, and says where', (_, agent, text) => {
    const servers = { a: { type: 'http', url: 'x', headers: { 'k/v': text } } } as const;
    expect(of({ ...agent, mcp_servers: servers })).toBe(
      `/mcp_servers/a/headers/k~1v: this runner has nothing for ${text} (agent reviewer)`,
    );
  });

  it('that the coordinator could not read is not run', () => {
    expect(of({ fault: 'There is no agent reviewer.' })).toBe('There is no agent reviewer.');
  });
});
