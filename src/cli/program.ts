// The program as commander knows it: its commands and its help.
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addCommand, type CommandHost, type CommandSpec } from './command.js';
import { exitCodeHelp } from './text/exit-codes.js';
import { hasColour } from './io/io.js';

/** The commands whose command lines begin with one word. */
export interface ProgramPart {
  /** The name of a single command, or of a group of them. */
  readonly name: string;
  readonly commands: readonly CommandSpec[];
}

/** The groups of commands, and what each is for. */
const GROUPS: Readonly<Record<string, string>> = {
  schema: 'workflow schemas',
  state: 'workflow states',
  workflow: 'the record of an orchestrator',
  session: 'agent sessions',
  agent: 'named agents',
  run: 'executions of sessions',
  callback: 'the messages that tell parents',
  webhook: 'URLs that receive events of commits',
  hook: 'hooks of agent CLIs',
  token: 'bearer tokens, on the database itself',
  db: 'databases, without a service',
};

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

/**
 * @param parts - The commands and groups that the program has.
 * @throws CommanderError For help, and for an invalid command line.
 */
export function createProgram(host: CommandHost, parts: readonly ProgramPart[]): Command {
  const { io, isJson = false } = host;
  const program = new Command('countersign')
    .description('Schema-bound workflow state for trees of agent sessions.')
    .exitOverride()
    .enablePositionalOptions() // --version has another meaning after a command
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => {
        if (!isJson) io.stderr.write(text);
      },
      getOutHelpWidth: () => Math.max(io.width, 60),
      getErrHelpWidth: () => Math.max(io.width, 60),
      getOutHasColors: () => hasColour(io),
      getErrHasColors: () => hasColour(io),
    })
    .showSuggestionAfterError()
    .showHelpAfterError('Add --help to see what the command takes.')
    .version(version(), '-V, --version')
    .addHelpText('after', AFTER_HELP);

  for (const { name, commands } of parts) {
    const summary = GROUPS[name];
    const parent =
      summary === undefined ? program : program.command(name).summary(summary).description(summary);
    for (const spec of commands) addCommand(parent, host, spec);
  }
  return program;
}

/** From package.json, which is at the same relative path from the sources and from the build. */
function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version: value } = JSON.parse(text) as { version: string };
  return value;
}
