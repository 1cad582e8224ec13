// The executor types of this product's runner. Other runners may register further types.
import { AGENT_CLIENT_NAMES, type AgentClientName } from '../agent-clients/index.js';

export type ExecutorType = 'command' | AgentClientName;

/** `command` runs a command line. Each other type runs an agent CLI. */
export const EXECUTOR_TYPES: readonly ExecutorType[] = ['command', ...AGENT_CLIENT_NAMES];
