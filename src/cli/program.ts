// The whole program: its commands and its help.
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addCommand, type CommandHost, type CommandSpec } from './command.js';
import { agentCommands } from './commands/agents/agent.js';
import { callbackCommands } from './commands/callbacks/callback.js';
import { connectCommand, disconnectCommand, hookInstallCommands } from './commands/hooks/connect.js';
import { demoCommand } from './commands/operations/demo.js';
import { doctorCommand } from './commands/operations/doctor.js';
import { hookCommands } from './commands/hooks/hook.js';
import { mcpCommand } from './commands/operations/mcp.js';
import { readyCommand } from './commands/operations/ready.js';
import { runCommands } from './commands/runs/run.js';
import { runnerCommand, runnersCommand } from './commands/runs/runner.js';
import { schemaCommands } from './commands/schemas/schema.js';
import { serveCommand } from './commands/operations/serve.js';
import { sessionCommands } from './commands/sessions/session.js';
import { stateCommands } from './commands/states/state.js';
import { tokenCommands } from './commands/access/token.js';
import { webhookCommands } from './commands/webhooks/webhook.js';
import { exitCodeHelp } from './text/exit-codes.js';
import { hasColour } from './io.js';
import type { WiredCommands } from './wiring.js';

const AFTER_HELP = `
Environment:
  COUNTERSIGN_URL      where the service is
  COUNTERSIGN_TOKEN    who is asking
  AGENT_SESSION_NAME   the session that is asking, within a run
  WORKFLOW_STATE_ID    the state that is meant where none is named
  NO_COLOR             no colour on a terminal

Exit codes:
${exitCodeHelp()}

Examples:
  $ countersign serve --runner --exec "claude -p"
  $ countersign session start --prompt "Plan the release." --wait
  $ countersign state get wfstate_1 --json
`;

/** @throws CommanderError For help, and for an invalid command line. */
export function createProgram(host: CommandHost, wired: WiredCommands): Command {
  const { io } = host;
  const program = new Command('countersign')
    .description('Schema-bound workflow state for trees of agent sessions.')
    .exitOverride()
    .enablePositionalOptions() // --version has another meaning after a command
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      getOutHelpWidth: () => Math.max(io.width, 60),
      getErrHelpWidth: () => Math.max(io.width, 60),
      getOutHasColors: () => hasColour(io),
      getErrHasColors: () => hasColour(io),
    })
    .showSuggestionAfterError()
    .showHelpAfterError('Add --help to see what the command takes.')
    .version(version(), '-V, --version')
    .addHelpText('after', AFTER_HELP);

  const group = (name: string, summary: string, commands: readonly CommandSpec[]) => {
    const parent = program.command(name).summary(summary).description(summary);
    for (const spec of commands) addCommand(parent, host, spec);
  };
  addCommand(program, host, serveCommand(wired));
  addCommand(program, host, readyCommand);
  addCommand(program, host, runnerCommand(wired));
  addCommand(program, host, mcpCommand(wired));
  addCommand(program, host, connectCommand);
  addCommand(program, host, disconnectCommand);
  addCommand(program, host, demoCommand(wired));
  group('schema', 'workflow schemas', schemaCommands(wired));
  group('state', 'workflow states', stateCommands);
  group('session', 'agent sessions', sessionCommands);
  group('agent', 'named agents', agentCommands);
  group('run', 'executions of sessions', runCommands);
  group('callback', 'the messages that tell parents', callbackCommands);
  group('webhook', 'URLs that are told of what is committed', webhookCommands);
  group('hook', 'hooks of agent CLIs', [...hookCommands, ...hookInstallCommands]);
  addCommand(program, host, runnersCommand);
  group('token', 'bearer tokens, on the database itself', tokenCommands(wired));
  addCommand(program, host, doctorCommand(wired));
  return program;
}

/** From package.json, which is at the same relative path from the sources and from the build. */
function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version: value } = JSON.parse(text) as { version: string };
  return value;
}
