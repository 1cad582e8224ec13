// The agent CLIs whose hooks are answered, and what each of them calls what. Facts about other programs; no rules.

/** Agent CLIs with hooks, by the names that commands and paths use. */
export const HOOK_CLIENTS = ['claude-code', 'codex', 'gemini', 'opencode'] as const;
export type HookClient = (typeof HOOK_CLIENTS)[number];

/** The hooks that are answered, by the names that commands use. */
export const HOOKS = ['session-start', 'stop', 'subagent-stop', 'pre-tool-use', 'session-end'] as const;
export type Hook = (typeof HOOKS)[number];

export interface ClientFacts {
  /** How people call it. */
  readonly title: string;
  /** What `hook_event_name` says for each hook; absent where the client has none. */
  readonly events: Readonly<Partial<Record<Hook, string>>>;
  /** After so many refusals in a row it ends the turn all the same; `null` where it takes any number. */
  readonly refusalsInARowMax: number | null;
  /** Environment variable that moves this cap; 0 or less lifts it. */
  readonly capVariable: string | null;
}

export const CLIENTS: Readonly<Record<HookClient, ClientFacts>> = {
  'claude-code': {
    title: 'Claude Code',
    events: {
      'session-start': 'SessionStart',
      stop: 'Stop',
      'subagent-stop': 'SubagentStop',
      'pre-tool-use': 'PreToolUse',
      'session-end': 'SessionEnd',
    },
    refusalsInARowMax: 8,
    capVariable: 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP',
  },
  codex: {
    title: 'Codex',
    events: {
      'session-start': 'SessionStart',
      stop: 'Stop',
      'subagent-stop': 'SubagentStop',
      'pre-tool-use': 'PreToolUse',
      'session-end': 'SessionEnd',
    },
    refusalsInARowMax: null,
    capVariable: null,
  },
  gemini: {
    title: 'Gemini CLI',
    events: {
      'session-start': 'SessionStart',
      stop: 'AfterAgent',
      'pre-tool-use': 'BeforeTool',
      'session-end': 'SessionEnd',
    },
    refusalsInARowMax: null,
    capVariable: null,
  },
  // It has no hooks as commands: the plugin that stands in for them gives events these names.
  opencode: {
    title: 'opencode',
    events: {
      'session-start': 'SessionStart',
      stop: 'Stop',
      'pre-tool-use': 'PreToolUse',
      'session-end': 'SessionEnd',
    },
    refusalsInARowMax: null,
    capVariable: null,
  },
};

/** The hook that a client's event is; `null` for events that are not answered. */
export function hookOf(client: HookClient, eventName: string): Hook | null {
  return HOOKS.find((hook) => CLIENTS[client].events[hook] === eventName) ?? null;
}
