// One conversation of an agent CLI is one session, with no variable of ours set: its hooks, its MCP calls and its
// commands speak for the same. The real program, asked as the clients ask it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { McpClient } from '../../support/mcp.js';
import { runProgram } from '../../support/program.js';
import { must, Stage } from '../../support/stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open({ runner: null });
  must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
});
afterAll(() => stage.close());

const starts = async (client: 'claude-code' | 'codex', id: string, session?: string) =>
  must(
    await stage.operator.hooks.answer(
      client,
      { hook_event_name: 'SessionStart', source: 'startup', session_id: id },
      session === undefined ? {} : { session },
    ),
  );
const environment = (env: Record<string, string>) => ({ PATH: process.env['PATH'] ?? '', ...env });
const create = (mcp: McpClient, meta: Record<string, unknown> = {}) =>
  mcp.call('state_create', { schema_name: 'any', initial_data: {} }, meta);
const stateOf = async (session: string) => must(await stage.operator.sessions.get(session)).workflow_state_id;

describe('a conversation of Claude Code', () => {
  it('is one session for its MCP server on stdio, also where that was started first', async () => {
    const mcp = await McpClient.stdio({ CLAUDE_CODE_SESSION_ID: 'c-1', COUNTERSIGN_URL: stage.url });
    await starts('claude-code', 'c-1');
    expect(await create(mcp)).toMatchObject({ failed: false });
    expect(await stateOf('ses_claude-code-c-1')).toEqual(expect.any(String));
    const started = await mcp.call('start_agent_session', {
      prompt: 'x',
      session_name: 'c-kid',
      callback: true,
    });
    expect(started.text).not.toContain('invalid_request');
    expect(must(await stage.operator.sessions.get('c-kid')).parent_session_id).toBe('ses_claude-code-c-1');
    await mcp.close();
  });

  it('is one session for its commands', async () => {
    await starts('claude-code', 'c-2');
    const env = environment({ CLAUDE_CODE_SESSION_ID: 'c-2', COUNTERSIGN_URL: stage.url });
    expect(await runProgram(['state', 'create', '--schema', 'any', '--data', '{}'], { env })).toMatchObject({
      code: 0,
    });
    expect(await stateOf('ses_claude-code-c-2')).toEqual(expect.any(String));
  });

  it('is nobody where no hook has registered it, and no other where somebody says so', async () => {
    const env = environment({ CLAUDE_CODE_SESSION_ID: 'unknown', COUNTERSIGN_URL: stage.url });
    expect(await runProgram(['session', 'list', '--json'], { env })).toMatchObject({ code: 0 });
    must(await stage.operator.sessions.create({ session_name: 'said', external: true }));
    await starts('claude-code', 'c-3');
    const named = { ...env, CLAUDE_CODE_SESSION_ID: 'c-3', AGENT_SESSION_NAME: 'said' };
    await runProgram(['state', 'create', '--schema', 'any', '--data', '{}'], { env: named });
    expect(await stateOf('said')).toEqual(expect.any(String));
    expect(await stateOf('ses_claude-code-c-3')).toBeNull();
  });
});

describe('a conversation of Codex', () => {
  it('is one session for its calls over HTTP and stdio, which say its thread, and for its commands', async () => {
    must(await stage.operator.sessions.create({ session_name: 'lead', external: true }));
    await starts('codex', 't-1', 'lead');
    const http = await McpClient.http(stage.url);
    expect(await create(http, { threadId: 't-1' })).toMatchObject({ failed: false });
    const stateId = await stateOf('lead');
    expect(stateId).toEqual(expect.any(String));
    const stdio = await McpClient.stdio({ COUNTERSIGN_URL: stage.url });
    for (const [mcp, key] of [
      [http, 'over_http'],
      [stdio, 'over_stdio'],
    ] as const) {
      const operations = [{ op: 'add', path: `/${key}`, value: 1 }];
      expect(await mcp.call('state_patch', { operations }, { threadId: 't-1' })).toMatchObject({
        failed: false,
      });
      await mcp.close();
    }
    const env = environment({ CODEX_THREAD_ID: 't-1', COUNTERSIGN_URL: stage.url });
    const patch = JSON.stringify([{ op: 'add', path: '/by_command', value: 1 }]);
    expect(await runProgram(['state', 'patch', patch], { env })).toMatchObject({ code: 0 });
    const { events } = must(await stage.operator.states.events(stateId ?? '', {}));
    const { session_id } = must(await stage.operator.sessions.get('lead'));
    expect(events.slice(-3).map((event) => event.session_id)).toEqual([session_id, session_id, session_id]);
  });
});
