// What every definition of an agent CLI has to fulfil, so that the rest of the product can use it.
import { describe, expect, it } from 'vitest';
import {
  clientSessionOfMeta,
  clientSessionsOf,
  startedWithin,
} from '../../src/agent-clients/conversations.js';
import { neededInput, readHookInput } from '../../src/agent-clients/hooks/input.js';
import { AGENT_CLIENTS, EXECUTOR_TYPES } from '../../src/agent-clients/index.js';
import { NOTHING_SEEN, type AgentCall } from '../../src/agent-clients/runs/agent-cli.js';
import { goOn, mayEnd } from '../../src/domain/hooks/result.js';
import { boundSessionId } from '../../src/domain/session-ids.js';
import { HOOKS } from '../../src/domain/hooks/clients.js';
import { gateDecision, passesUnasked } from '../../src/domain/hooks/gate.js';

const CALL: AgentCall = {
  prompt: 'Do it.',
  purpose: 'work',
  conversationId: '0b54a1f6-93f7-4e0c-9ac5-0d2a4cf1b5a1',
  resumes: true,
  settings: { model: 'm', systemPrompt: null, args: ['--users-own'] },
  outputSchema: null,
  mcp: { url: 'http://127.0.0.1:1/mcp', token: 'token-of-the-run' },
  identity: { AGENT_SESSION_ID: 'ses_1' },
  configuredServers: [],
  folder: '/f',
};

it('each client is an executor type, too', () => {
  expect(EXECUTOR_TYPES).toEqual(['command', ...AGENT_CLIENTS.map(({ name }) => name)]);
});

describe.each(AGENT_CLIENTS.map((client) => [client.name, client] as const))('%s', (name, client) => {
  it('has a name that is part of ids and commands', () => {
    expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(boundSessionId(name, 'c-1')).toBe(`ses_${name}-c-1`);
  });

  it('has the hooks without which no session is held to its result, each with a name of its own', () => {
    const events = HOOKS.flatMap((hook) => client.hooks.events[hook] ?? []);
    expect(new Set(events).size).toBe(events.length);
    for (const hook of ['session-start', 'stop', 'pre-tool-use', 'session-end'] as const) {
      expect(client.hooks.events[hook]).toBeDefined();
    }
  });

  it('reads each of its hooks, also from what is left of the input', () => {
    for (const hook of HOOKS) {
      const event = client.hooks.events[hook];
      if (event === undefined) continue;
      const input = { hook_event_name: event, session_id: 'c-1', tool_name: 'x', agent_id: 'a' };
      const whole = { ...input, [client.hooks.lastMessage]: 'done' };
      const read = readHookInput(client, neededInput(client, whole, 100), hook);
      expect(read).toEqual(readHookInput(client, whole, hook));
      expect(read).toMatchObject({ ok: true, value: { hook, client: { name } } });
      if (hook === 'stop') expect(read).toMatchObject({ value: { lastMessage: 'done' } });
    }
  });

  it('is told of a refusal with the reason, and of a notice', () => {
    expect(JSON.stringify(client.hooks.answer('stop', goOn('write first')))).toContain('write first');
    expect(client.hooks.answer('stop', mayEnd('a notice'))).toEqual({ systemMessage: 'a notice' });
    const denied = client.hooks.answer('pre-tool-use', { verdict: 'deny', text: 'no state' });
    expect(JSON.stringify(denied)).toMatch(/"deny"/);
    expect(JSON.stringify(denied)).toContain('no state');
  });

  it('may only read where the gate is closed', () => {
    const use = (tool: string, command: string | null = null) =>
      ({ client, clientSessionId: 'c', hook: 'pre-tool-use', tool, command }) as const;
    const closed = { session: null, state: 'none', workflow: null } as const;
    for (const tool of client.tools.readOnly) expect(gateDecision(use(tool), closed).verdict).toBe('allow');
    expect(passesUnasked(use(client.tools.shell, 'countersign state get s'))).toBe(true);
    expect(passesUnasked(use(client.tools.shell, 'rm -rf .'))).toBe(false);
    expect(gateDecision(use('no_such_tool'), closed).verdict).toBe('deny');
  });

  it('is called without the token among its arguments, and with those of the user', () => {
    const { args } = client.invoke(CALL);
    expect(args).toContain('--users-own');
    expect(args.join(' ')).not.toContain(CALL.mcp.token);
    expect(client.reservedFlags.length).toBeGreaterThan(0);
  });

  it('lets its stream say what nobody knows', () => {
    expect(client.read(NOTHING_SEEN, { type: 'no_such_event' })).toEqual(NOTHING_SEEN);
    expect(client.read(NOTHING_SEEN, {})).toEqual(NOTHING_SEEN);
  });

  it('has its conversation found where it names one', () => {
    const { variable, inherited, metaMember } = client.conversation;
    const found = [{ client: name, id: 'c-1' }];
    if (variable !== null) expect(clientSessionsOf({ [variable]: 'c-1' })).toEqual(found);
    if (metaMember !== null) expect(clientSessionOfMeta({ [metaMember]: 'c-1' })).toEqual(found[0]);
    for (const one of inherited) expect(startedWithin({ [one]: 'c-1' })).toEqual(['c-1']);
  });
});
