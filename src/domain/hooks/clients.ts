// The supported hooks, and what the rules need of an agent CLI. The CLIs themselves are in agent-clients.

/** The supported hooks, by their names in commands. */
export const HOOKS = ['session-start', 'stop', 'subagent-stop', 'pre-tool-use', 'session-end'] as const;
export type Hook = (typeof HOOKS)[number];

/** The tools of an agent CLI, by its own names. */
export interface ClientTools {
  /** Tools that change nothing and contact nobody. */
  readonly readOnly: readonly string[];
  /**
   * Our own tools on states: the service checks each of their calls itself. For servers within plugins, and for
   * those of a run, the name carries a prefix or suffix.
   */
  readonly own: RegExp;
  /** The tool that runs a command line. */
  readonly shell: string;
}

/** What the rules need of an agent CLI with hooks. */
export interface HookClient {
  /** Its name in commands and paths. */
  readonly name: string;
  /** The product name. */
  readonly title: string;
  /** After this many refusals in a row the client ends the turn anyway; `null` for no limit. */
  readonly refusalsInARowMax: number | null;
  readonly tools: ClientTools;
}
