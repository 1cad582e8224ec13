// The exports of the runner.
export {
  NOTHING_SEEN,
  type AgentCall,
  type AgentCli,
  type AgentSettings,
  type Seen,
} from './agent/agent-cli.js';
export { createAgentExecutor, type AgentExecutorOptions } from './agent/agent-executor.js';
export { removeLeftFolders } from './agent/private-files.js';
export { holdTo, type HeldOutput } from './agent/output-schema.js';
export { seenAtEnd, verdictOf } from './agent/verdict.js';
export type { BackoffOptions } from './backoff.js';
export { AGENT_CLIS } from './clients/index.js';
export { createCommandExecutor, type CommandExecutorOptions } from './command/command-executor.js';
export { RunnerRefused } from './coordinator-link.js';
export type { EndReason, ExecutionContext, ExecutionResult, Executor } from './executor.js';
export { createRunner, type Runner, type RunnerOptions } from './runner.js';
