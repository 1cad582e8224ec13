// What the runner's room offers.
export type { BackoffOptions } from './backoff.js';
export { createCommandExecutor, type CommandExecutorOptions } from './command/command-executor.js';
export { RunnerRefused } from './coordinator-link.js';
export type { EndReason, ExecutionContext, ExecutionResult, Executor } from './executor.js';
export { createRunner, type Runner, type RunnerOptions } from './runner.js';
