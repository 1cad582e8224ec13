// What the service adds to prompts and to the workflow record on its own.

export interface StatePrompts {
  /** If a runner runs it as a child, its first prompt says what it has to record in the state, and how. */
  readonly stateContext: boolean;
  /** Callbacks of its children reach it with a summary of the state. */
  readonly stateSummary: boolean;
  /** False if the workflow record of its tree leaves out what it does. */
  readonly recorded: boolean;
}
