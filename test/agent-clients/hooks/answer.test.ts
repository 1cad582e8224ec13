import { describe, expect, it } from 'vitest';
import { goOn, mayEnd, type HookResult } from '../../../src/domain/hooks/result.js';
import { agentClient } from '../../../src/agent-clients/index.js';
import type { AgentClientName } from '../../../src/agent-clients/index.js';
import type { Hook } from '../../../src/domain/hooks/clients.js';

const begin: HookResult = { verdict: 'begin', text: 'who', environment: { A: 'b' } };
const deny: HookResult = { verdict: 'deny', text: 'no' };
const context = { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'who' } };
const denied = {
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: 'no',
  },
};

describe('the answer to a hook', () => {
  it.each<[AgentClientName, Hook, HookResult, object]>([
    ['claude-code', 'session-start', begin, context],
    ['codex', 'session-start', begin, context],
    ['gemini', 'session-start', begin, context],
    ['claude-code', 'session-start', mayEnd('away'), { systemMessage: 'away' }],
    ['claude-code', 'stop', goOn('write'), { decision: 'block', reason: 'write' }],
    ['codex', 'stop', goOn('write'), { decision: 'block', reason: 'write' }],
    ['gemini', 'stop', goOn('write'), { decision: 'deny', reason: 'write' }],
    ['claude-code', 'subagent-stop', goOn('write'), { decision: 'block', reason: 'write' }],
    ['codex', 'subagent-stop', goOn('write'), { decision: 'block', reason: 'write' }],
    ['claude-code', 'stop', mayEnd(null), {}],
    ['codex', 'stop', mayEnd('note'), { systemMessage: 'note' }],
    ['gemini', 'stop', mayEnd('note'), { systemMessage: 'note' }],
    ['gemini', 'stop', { verdict: 'waiting', text: null }, {}],
    ['claude-code', 'pre-tool-use', deny, denied],
    ['codex', 'pre-tool-use', deny, denied],
    ['gemini', 'pre-tool-use', deny, { decision: 'deny', reason: 'no' }],
    // Leave is for the client itself to give: `allow` would pass over its own questions, and Codex refuses it.
    ['claude-code', 'pre-tool-use', { verdict: 'allow', text: null }, {}],
    ['codex', 'pre-tool-use', { verdict: 'allow', text: null }, {}],
    ['gemini', 'pre-tool-use', { verdict: 'allow', text: null }, {}],
    [
      'opencode',
      'session-start',
      { ...begin, environment: { AGENT_SESSION_ID: 'ses_1' } },
      { context: begin.text, environment: { AGENT_SESSION_ID: 'ses_1' } },
    ],
    ['opencode', 'stop', goOn('write'), { decision: 'block', reason: 'write' }],
    ['opencode', 'stop', mayEnd('note'), { systemMessage: 'note' }],
    ['opencode', 'pre-tool-use', deny, { decision: 'deny', reason: 'no' }],
    ['opencode', 'pre-tool-use', { verdict: 'allow', text: null }, { decision: 'allow' }],
  ])('of %s for %s is %j -> %j', (client, hook, verdict, answer) => {
    expect(agentClient(client).hooks.answer(hook, verdict)).toEqual(answer);
  });
});
