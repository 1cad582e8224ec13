import { describe, expect, it } from 'vitest';
import { agentClient } from '../../../src/agent-clients/index.js';
import type { AgentClientName } from '../../../src/agent-clients/names.js';
import type { PreToolUseEvent } from '../../../src/domain/hooks/event.js';
import { gateVerdict, passesUnasked, unansweredVerdict } from '../../../src/domain/hooks/gate.js';

const use = (client: AgentClientName, tool: string, command: string | null = null): PreToolUseEvent => ({
  client: agentClient(client),
  clientSessionId: 's',
  hook: 'pre-tool-use',
  tool,
  command,
});

describe('without the coordinator', () => {
  it.each<[AgentClientName, string, (string | null)?]>([
    ['claude-code', 'Read'],
    ['claude-code', 'Grep'],
    ['claude-code', 'mcp__countersign__state_create'],
    ['claude-code', 'mcp__countersign_run__state_create'],
    ['claude-code', 'mcp__plugin_countersign_countersign__state_read'],
    ['claude-code', 'Bash', 'countersign doctor'],
    ['claude-code', 'Bash', 'countersign state create --schema s --data \'{"a": []}\''],
    ['codex', 'view_image'],
    ['codex', 'mcp__countersign__state_patch'],
    ['codex', 'mcp__countersign_run__state_patch'],
    ['codex', 'Bash', 'countersign state get sta_1'],
    ['gemini', 'read_file'],
    ['gemini', 'mcp_countersign_state_read'],
    ['gemini', 'mcp_countersign_run_state_read'],
    ['gemini', 'run_shell_command', ' countersign schema list'],
    ['opencode', 'read'],
    ['opencode', 'countersign_state_patch'],
    ['opencode', 'bash', 'countersign state list'],
  ])('%s may use %s %s', (client, tool, command) => {
    expect(passesUnasked(use(client, tool, command ?? null))).toBe(true);
    expect(unansweredVerdict(use(client, tool, command ?? null), 'away').verdict).toBe('allow');
  });

  it.each<[AgentClientName, string, (string | null)?]>([
    ['claude-code', 'Bash'],
    ['claude-code', 'Bash', 'ls'],
    ['claude-code', 'Bash', 'countersign serve --runner --exec x'],
    ['claude-code', 'Bash', 'countersign state get; rm -rf /'],
    ['claude-code', 'Bash', 'countersign state get && rm x'],
    ['claude-code', 'Bash', 'countersign state get | sh'],
    ['claude-code', 'Bash', 'countersign state get > x'],
    ['claude-code', 'Bash', 'countersign state get $(rm x)'],
    ['claude-code', 'Bash', 'countersign state get `rm x`'],
    ['claude-code', 'Bash', 'countersign state get\nrm x'],
    ['claude-code', 'Bash', 'countersign state export --out x'],
    ['claude-code', 'Bash', 'countersign state create --data @x --url http://elsewhere'],
    ['claude-code', 'Bash', 'countersignx doctor'],
    ['claude-code', 'Write'],
    ['claude-code', 'Agent'],
    ['claude-code', 'WebFetch'],
    ['claude-code', 'read'],
    ['claude-code', 'mcp__countersign__start_agent_session'],
    ['claude-code', 'mcp__other__state_read'],
    ['claude-code', 'mcp__countersign__state_read__x; rm'],
    ['codex', 'apply_patch'],
    ['codex', 'Read'],
    ['gemini', 'replace'],
    ['opencode', 'edit'],
    ['opencode', 'other_state_patch'],
    ['gemini', 'Bash', 'countersign doctor'],
  ])('%s may not use %s %s', (client, tool, command) => {
    expect(passesUnasked(use(client, tool, command ?? null))).toBe(false);
    const { verdict, text } = unansweredVerdict(use(client, tool, command ?? null), 'nobody is there');
    expect(verdict).toBe('deny');
    expect(text).toContain(`Countersign denies ${tool}`);
    expect(text).toContain('nobody is there');
    expect(text).toContain('countersign serve');
  });
});

describe('the gate', () => {
  const session = { name: 'root', stopped: false };

  it('is open where the state was read', () => {
    expect(gateVerdict(use('codex', 'apply_patch'), { session, state: 'read' })).toEqual({
      verdict: 'allow',
      text: null,
    });
  });

  it.each([
    [{ session: null, state: 'none' } as const, /not registered.*AGENT_SESSION_NAME/s],
    [{ session: { name: 'root', stopped: true }, state: 'read' } as const, /root was stopped by an operator/],
    [{ session, state: 'none' } as const, /has no workflow state.*state_create/s],
    [{ session, state: 'unreadable' } as const, /cannot be read.*countersign doctor/s],
  ])('is closed with what to do: %j', (facts, words) => {
    const { verdict, text } = gateVerdict(use('claude-code', 'Write'), facts);
    expect(verdict).toBe('deny');
    expect(text).toMatch(words);
    expect(gateVerdict(use('claude-code', 'Read'), facts).verdict).toBe('allow');
  });
});
