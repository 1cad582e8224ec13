import { describe, expect, it } from 'vitest';
import { neededInput, readHookInput } from '../../../src/agent-clients/hooks/input.js';
import { agentClient } from '../../../src/agent-clients/index.js';
import type { AgentClientName } from '../../../src/agent-clients/index.js';
import type { Hook } from '../../../src/domain/hooks/clients.js';
import type { JsonValue } from '../../../src/domain/json/json.js';

const start = { hook_event_name: 'SessionStart', session_id: 's-1', cwd: '/work', source: 'startup' };
const stop = { hook_event_name: 'Stop', session_id: 's-1', stop_hook_active: false };
const tool = { hook_event_name: 'PreToolUse', session_id: 's-1', tool_name: 'Bash', tool_use_id: 't' };

describe('the input of a hook', () => {
  it.each<[AgentClientName, JsonValue, object]>([
    ['claude-code', start, { hook: 'session-start', clientSessionId: 's-1', cwd: '/work', compacted: false }],
    ['claude-code', { ...start, source: 'compact' }, { hook: 'session-start', compacted: true }],
    ['claude-code', { ...start, source: 'clear' }, { compacted: false }],
    ['codex', start, { compacted: false }],
    ['codex', { ...start, cwd: undefined as never }, { hook: 'session-start', cwd: null }],
    ['gemini', { ...start, source: 'resume' }, { hook: 'session-start', compacted: false }],
    ['claude-code', stop, { hook: 'stop', repeated: false, openTasks: 0, lastMessage: null }],
    [
      'claude-code',
      { ...stop, stop_hook_active: true, last_assistant_message: 'done', background_tasks: [] },
      { hook: 'stop', repeated: true, openTasks: 0, lastMessage: 'done' },
    ],
    ['claude-code', { ...stop, background_tasks: [{ id: 'b1' }, { id: 'b2' }] }, { openTasks: 2 }],
    [
      'claude-code',
      {
        ...stop,
        background_tasks: ['shell', 'subagent', 'monitor', 'workflow', 'dream', 'cloud session'].map(
          (type) => ({ id: type, type, status: 'running' }),
        ),
      },
      { openTasks: 3 },
    ],
    ['codex', { ...stop, last_assistant_message: null, turn_id: 't' }, { hook: 'stop', lastMessage: null }],
    [
      'gemini',
      { hook_event_name: 'AfterAgent', session_id: 's', prompt_response: 'hm', stop_hook_active: true },
      { hook: 'stop', repeated: true, lastMessage: 'hm' },
    ],
    [
      'claude-code',
      { ...stop, hook_event_name: 'SubagentStop', agent_id: 'a-1', agent_type: 'reviewer' },
      { hook: 'subagent-stop', agentId: 'a-1', agentType: 'reviewer', repeated: false },
    ],
    [
      'claude-code',
      { ...tool, tool_input: { command: 'ls' } },
      { hook: 'pre-tool-use', tool: 'Bash', command: 'ls' },
    ],
    ['codex', { ...tool, tool_input: ['ls'] }, { hook: 'pre-tool-use', tool: 'Bash', command: null }],
    [
      'gemini',
      { hook_event_name: 'BeforeTool', session_id: 's', tool_name: 'write_file', tool_input: {} },
      { hook: 'pre-tool-use', tool: 'write_file', command: null },
    ],
  ])('of %s %j is read', (client, input, event) => {
    expect(readHookInput(agentClient(client), input)).toMatchObject({
      ok: true,
      value: { client: { name: client }, ...event },
    });
  });

  it.each<[AgentClientName, Hook | undefined, JsonValue, string, RegExp]>([
    ['claude-code', 'stop', null, '', /is no hook input of Claude Code/],
    ['claude-code', 'stop', [stop], '', /is no hook input/],
    ['claude-code', 'stop', 'Stop', '', /is no hook input/],
    ['claude-code', 'stop', {}, '/hook_event_name', /is missing/],
    ['claude-code', 'stop', { ...stop, hook_event_name: 7 }, '/hook_event_name', /is missing/],
    ['claude-code', 'stop', start, '/hook_event_name', /SessionStart is not answered here/],
    [
      'claude-code',
      undefined,
      { ...stop, hook_event_name: 'PostToolUse' },
      '/hook_event_name',
      /PostToolUse/,
    ],
    ['claude-code', undefined, { ...stop, hook_event_name: 'AfterAgent' }, '/hook_event_name', /AfterAgent/],
    ['gemini', undefined, stop, '/hook_event_name', /Stop is not answered here/],
    ['codex', 'stop', { ...stop, session_id: undefined as never }, '/session_id', /is missing/],
    ['codex', 'stop', { ...stop, session_id: '' }, '/session_id', /is missing/],
    ['codex', 'stop', { ...stop, session_id: 7 }, '/session_id', /is missing/],
    ['codex', 'stop', { ...stop, session_id: 'x'.repeat(513) }, '/session_id', /is too long/],
    ['codex', 'stop', { ...stop, session_id: 'x\ud800' }, '/session_id', /half of a surrogate pair/],
    ['codex', 'stop', { ...stop, stop_hook_active: 'yes' }, '/stop_hook_active', /neither true nor false/],
    ['claude-code', 'stop', { ...stop, background_tasks: 2 }, '/background_tasks', /is no list/],
    ['codex', 'subagent-stop', { ...stop, hook_event_name: 'SubagentStop' }, '/agent_id', /is missing/],
    ['codex', 'pre-tool-use', { ...tool, tool_name: {} }, '/tool_name', /is missing/],
  ])('of %s for %s is refused: %j', (client, hook, input, pointer, message) => {
    const result = readHookInput(agentClient(client), input, hook);
    expect(result).toMatchObject({
      ok: false,
      failure: { error: 'invalid_request', members: { errors: [{ pointer }] } },
    });
    expect(result.ok ? '' : result.failure.detail).toMatch(message);
  });

  it('is refused for a hook that the client does not have', () => {
    expect(readHookInput(agentClient('gemini'), stop, 'subagent-stop')).toMatchObject({
      ok: false,
      failure: { error: 'invalid_request', detail: 'Gemini CLI has no hook subagent-stop.' },
    });
  });

  it('goes on without what no rule reads', () => {
    const input = {
      ...tool,
      tool_input: { command: 'secret' },
      transcript_path: '/home/x',
      background_tasks: [
        { id: 'b1', command: 'secret' },
        { id: 'b2', type: 'shell', status: 'running', description: 'secret', command: 'secret' },
      ],
      last_assistant_message: 'y'.repeat(300),
    };
    const needed = neededInput(agentClient('claude-code'), input, 200);
    expect(needed).toEqual({
      hook_event_name: 'PreToolUse',
      session_id: 's-1',
      tool_name: 'Bash',
      background_tasks: [{}, { type: 'shell' }],
      last_assistant_message: expect.stringContaining('characters left out'),
    });
  });
});
