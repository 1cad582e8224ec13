import { describe, expect, it } from 'vitest';
import { agentClient, type AgentClientName } from '../../../src/agent-clients/index.js';
import type { PreToolUseEvent } from '../../../src/domain/hooks/event.js';
import {
  gateDecision,
  passesUnasked,
  unansweredDecision,
  type GateFacts,
} from '../../../src/domain/hooks/gate.js';
import type { WorkflowFacts } from '../../../src/domain/hooks/workflow-gate.js';
import type { JsonObject } from '../../../src/domain/json/json.js';
import { modesFrom } from '../../../src/domain/workflow/modes.js';

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
    ['claude-code', 'mcp__countersign__workflow_record'],
    ['codex', 'mcp__countersign_run__workflow_record'],
    ['gemini', 'mcp_countersign_workflow_record'],
    ['opencode', 'countersign_workflow_record'],
    [
      'codex',
      'Bash',
      'countersign workflow evidence --protocol start --item "context=README.md read" --complete',
    ],
    ['claude-code', 'Bash', 'countersign state create --schema s --data \'{"a": []}\''],
    [
      'claude-code',
      'Bash',
      'countersign state create --schema="s" --data=\'{"a": "--url, {x} and * are text"}\'',
    ],
    ['claude-code', 'Bash', "countersign\tsession  tree prüfer@2.b-1 --since='1' "],
    [
      'claude-code',
      'Bash',
      'countersign workflow decide --description "" --rationale "What? (why) #1!" -- x',
    ],
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
    expect(unansweredDecision(use(client, tool, command ?? null), 'away').verdict).toBe('allow');
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
    // Whatever a shell makes a flag of.
    ...[
      "countersign state get x -'-url'=http://evil",
      "countersign state get x --u'rl' http://evil",
      'countersign state get x --u"rl" http://evil',
      "countersign state get x '--url' http://evil",
      "countersign state get x ''--url=http://evil",
      'countersign state get x "--url=http://evil"',
      'countersign state get x\t--url=http://evil',
      'countersign state get x {--u,}rl http://evil',
      'countersign state get x -{-url,x} http://evil',
      'countersign state get x --ur?',
      'countersign state get x --ur*',
      'countersign state get x --ur[l]',
      'countersign state get ~/x',
      'countersign state get --data --url',
      'countersign state get x --u\0rl http://evil',
      'countersign state get x --u\\rl http://evil',
      "countersign state get x $'--url' http://evil",
      'countersign state get x "$FLAG" http://evil',
      'countersign state get x !$ http://evil',
      'countersign state get x (a)',
      'countersign state get x # a',
      'countersign state get x “--url” http://evil',
      "countersign state get 'x",
      'countersign state get "x',
      'COUNTERSIGN_URL=http://evil countersign state get x',
      'env COUNTERSIGN_URL=http://evil countersign state get x',
      '/tmp/countersign state get x',
      'countersign state get x --pointer --env-file=evil',
      'countersign state get x --env-file evil',
      'countersign doctor --db postgres://evil/x',
      "countersign doctor '--db=postgres://evil/x'",
      'countersign doctor\nrm x',
      // In PowerShell.
      "countersign state get 'x'--url=http://evil",
      "countersign state get 'x’ --url=http://evil ‘y'",
      'countersign state get x,--url=http://evil',
      'countersign "state get" x',
      "countersign ''",
      'countersign',
      '',
    ].map((command): [AgentClientName, string, string] => ['claude-code', 'Bash', command]),
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
    const { verdict, text } = unansweredDecision(use(client, tool, command ?? null), 'nobody is there');
    expect(verdict).toBe('deny');
    expect(text).toContain(`Countersign denies ${tool}`);
    expect(text).toContain('nobody is there');
    expect(text).toContain('countersign serve');
  });
});

describe('the gate', () => {
  const session = { name: 'root', stopped: false };

  it('is open where the state was read', () => {
    expect(gateDecision(use('codex', 'apply_patch'), { session, state: 'read', workflow: null })).toEqual({
      verdict: 'allow',
      text: null,
    });
  });

  it.each([
    [{ session: null, state: 'none', workflow: null } as const, /not registered.*AGENT_SESSION_NAME/s],
    [
      { session: { name: 'root', stopped: true }, state: 'read', workflow: null } as const,
      /root was stopped by an operator/,
    ],
    [{ session, state: 'none', workflow: null } as const, /has no workflow state.*state_create/s],
    [{ session, state: 'unreadable', workflow: null } as const, /cannot be read.*countersign doctor/s],
    [{ session, state: 'tampered', workflow: null } as const, /fails verification.*countersign verify/s],
  ])('is closed with what to do: %j', (facts, words) => {
    const { verdict, text } = gateDecision(use('claude-code', 'Write'), facts);
    expect(verdict).toBe('deny');
    expect(text).toMatch(words);
    expect(gateDecision(use('claude-code', 'Read'), facts).verdict).toBe('allow');
  });
});

describe('the gate of a workflow', () => {
  const modes = modesFrom([
    { name: 'planning', next: ['coding'], tools: { 'claude-code': ['WebFetch', 'mcp__tracker__*'] } },
    { name: 'coding', tools: { 'claude-code': ['Write', 'Bash'], codex: ['apply_patch'] } },
    { name: 'review' },
  ]);
  const done = { protocol_start_complete: true };
  const gate = (client: AgentClientName, tool: string, workflow: Partial<WorkflowFacts>) =>
    gateDecision(use(client, tool), {
      session: { name: 'root', stopped: false },
      state: 'read',
      workflow: { document: done, modes, isWorkflow: true, ...workflow },
    });

  it.each<[string, AgentClientName, string, JsonObject]>([
    ['in the mode disabled, whatever was done', 'claude-code', 'Write', { current_mode: 'disabled' }],
    ['that the mode has', 'claude-code', 'WebFetch', { ...done, current_mode: 'planning' }],
    ['whose beginning it has', 'claude-code', 'mcp__tracker__add', { ...done, current_mode: 'planning' }],
    ['of the mode for this client', 'codex', 'apply_patch', { ...done, current_mode: 'coding' }],
    ['of a mode without a list', 'gemini', 'replace', { ...done, current_mode: 'review' }],
    ['of the first mode, where none is named', 'claude-code', 'WebFetch', done],
  ])('lets a tool pass %s', (_, client, tool, document) => {
    expect(gate(client, tool, { document })).toEqual({ verdict: 'allow', text: null });
  });

  it.each<[string, AgentClientName, string, Partial<WorkflowFacts>, RegExp]>([
    [
      'before the start protocol is done',
      'claude-code',
      'Write',
      { document: {} },
      /start protocol.*workflow evidence/s,
    ],
    [
      'that the mode does not have, and says which one that may follow has it',
      'claude-code',
      'Write',
      { document: { ...done, current_mode: 'planning' } },
      /the mode planning.*enter one that has it \(coding\)/s,
    ],
    [
      'that only a later mode has, and says what comes before that',
      'gemini',
      'replace',
      { document: { ...done, current_mode: 'planning' } },
      /the mode planning.*enter coding first, on the way to one that has it \(review\)/s,
    ],
    [
      'that no mode has which can be entered',
      'claude-code',
      'Write',
      {
        document: { ...done, current_mode: 'review' },
        modes: modesFrom([
          { name: 'coding', next: ['review'] },
          { name: 'review', next: ['planning'], tools: {} },
          { name: 'planning', next: ['review'], tools: {} },
        ]),
      },
      /No mode that can be entered from here has it: go on without it/,
    ],
    [
      'of a client that the mode does not name',
      'gemini',
      'replace',
      { document: { ...done, current_mode: 'coding' } },
      /the mode coding/,
    ],
    [
      'in a mode that is not defined',
      'codex',
      'apply_patch',
      { document: { ...done, current_mode: 'other' } },
      /the mode other.*not defined/s,
    ],
    [
      'in the mode disabled of a tree that is on no workflow schema',
      'codex',
      'apply_patch',
      { isWorkflow: false, document: { ...done, current_mode: 'disabled' } },
      /disabled of this workflow is not defined/,
    ],
    [
      'where the modes cannot be known',
      'codex',
      'apply_patch',
      { modes: { fault: 'modes.json is not JSON' } },
      /modes.json is not JSON/,
    ],
  ])('denies a tool %s', (_, client, tool, workflow, words) => {
    const { verdict, text } = gate(client, tool, workflow);
    expect(verdict).toBe('deny');
    expect(text).toMatch(words);
    expect(text).toContain(`Countersign denies ${tool}`);
  });

  it('is open where no modes are defined', () => {
    expect(gate('codex', 'apply_patch', { modes: [] }).verdict).toBe('allow');
  });

  it('looks at the session, the history and the state first', () => {
    const workflow = { document: { current_mode: 'disabled' }, modes: [], isWorkflow: true };
    const of = (facts: Omit<GateFacts, 'workflow'>) =>
      gateDecision(use('codex', 'apply_patch'), { ...facts, workflow });
    const session = { name: 'root', stopped: false };
    expect(of({ session: null, state: 'read' }).text).toContain('not registered');
    expect(of({ session: { ...session, stopped: true }, state: 'read' }).text).toContain('stopped');
    expect(of({ session, state: 'tampered' }).text).toContain('fails verification');
    expect(of({ session, state: 'none' }).text).toContain('no workflow state');
  });
});
