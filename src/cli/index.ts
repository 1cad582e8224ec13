// The exports of the command line, for the modules that wire it.
export { clientFor } from './client-for.js';
export { EXIT, exitCodeOf } from './text/exit-codes.js';
export { hasColour, type CliIo } from './io/io.js';
export { runCli } from './run-cli.js';
export { createOutput, type Output } from './text/output.js';
export { styleOf, table, time } from './text/table.js';
export { harmless, harmlessJson, jsonText } from './text/terminal-text.js';
export { UsageError } from './usage-error.js';
export type {
  DemoOptions,
  ExecutionOptions,
  McpOptions,
  RunnerCommandOptions,
  ServeOptions,
  TokenCreateOptions,
  TokenListOptions,
  TokenRevokeOptions,
  CopyDatabaseOptions,
  ComparedSchemas,
  BackedUp,
  BackupOptions,
  Progress,
  Restored,
  RestoreOptions,
  Verification,
  VerifyOptions,
  WiredCommands,
} from './wiring.js';
