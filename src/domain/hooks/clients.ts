// The agent CLIs with supported hooks, and their names for hooks and events. Facts about other programs, no rules.

/** Agent CLIs with hooks, by their names in commands and paths. */
export const HOOK_CLIENTS = ['claude-code', 'codex', 'gemini', 'opencode'] as const;
export type HookClient = (typeof HOOK_CLIENTS)[number];

/** The supported hooks, by their names in commands. */
export const HOOKS = ['session-start', 'stop', 'subagent-stop', 'pre-tool-use', 'session-end'] as const;
export type Hook = (typeof HOOKS)[number];

export interface ClientFacts {
  /** The product name. */
  readonly title: string;
  /** The value of `hook_event_name` for each hook; absent if the client does not have the hook. */
  readonly events: Readonly<Partial<Record<Hook, string>>>;
  /** After this many refusals in a row the client ends the turn anyway; `null` for no limit. */
  readonly refusalsInARowMax: number | null;
  /** Environment variable that changes this limit; 0 or less removes it. */
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
  // opencode has no command hooks. The plugin that replaces them uses these event names.
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

/** The hook of a client's event; `null` for events that are not supported. */
export function hookOf(client: HookClient, eventName: string): Hook | null {
  return HOOKS.find((hook) => CLIENTS[client].events[hook] === eventName) ?? null;
}
