// The ways in which a runner of this product can execute runs. Runners of others may know further ones.

/** `command` runs a command line; each of the others is the CLI of an agent. */
export const EXECUTOR_TYPES = ['command', 'claude-code', 'codex', 'gemini', 'opencode'] as const;

export type ExecutorType = (typeof EXECUTOR_TYPES)[number];
