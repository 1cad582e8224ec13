// The exports of the runner.
export { createAgentExecutor } from './agent/agent-executor.js';
export { removeLeftFolders } from './agent/private-files.js';
export { enforceOutput } from './agent/output-schema.js';
export { seenAtEnd, runResultOf } from './agent/run-result.js';
export { createCommandExecutor, type CommandExecutorOptions } from './command/command-executor.js';
export { RunnerRefused } from './coordinator-link.js';
export type { ExecutionResult, Executor } from './executor.js';
export { createRunner, type Runner, type RunnerOptions } from './runner.js';
