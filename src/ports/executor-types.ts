// The executor types of this product's runner. Other runners may register further types.

/** `command` runs a command line. Each other type runs an agent CLI. */
export const EXECUTOR_TYPES = ['command', 'claude-code', 'codex', 'gemini', 'opencode'] as const;

export type ExecutorType = (typeof EXECUTOR_TYPES)[number];
