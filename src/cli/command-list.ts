// All commands, by the first word of the command line. The modules of a command are loaded when a command line names
// it: agents call commands dozens of times in a run.
import { isClientCommandName, type ClientCommandName } from './client-command-names.js';
import type { CommandSpec } from './command.js';
import type { ProgramPart } from './program.js';
import type { WiredCommands } from './wiring.js';

export const CLIENT_COMMANDS: Readonly<Record<ClientCommandName, () => Promise<ProgramPart>>> = {
  ready: async () => single((await import('./commands/operations/ready.js')).readyCommand),
  connect: async () => single((await import('./commands/hooks/connect.js')).connectCommand),
  disconnect: async () => single((await import('./commands/hooks/connect.js')).disconnectCommand),
  state: async () =>
    group('state', 'workflow states', (await import('./commands/states/state.js')).stateCommands),
  workflow: async () =>
    group(
      'workflow',
      'the record of an orchestrator',
      (await import('./commands/workflow/workflow.js')).workflowCommands,
    ),
  session: async () =>
    group('session', 'agent sessions', (await import('./commands/sessions/session.js')).sessionCommands),
  agent: async () =>
    group('agent', 'named agents', (await import('./commands/agents/agent.js')).agentCommands),
  run: async () =>
    group('run', 'executions of sessions', (await import('./commands/runs/run.js')).runCommands),
  callback: async () =>
    group(
      'callback',
      'the messages that tell parents',
      (await import('./commands/callbacks/callback.js')).callbackCommands,
    ),
  webhook: async () =>
    group(
      'webhook',
      'URLs that receive events of commits',
      (await import('./commands/webhooks/webhook.js')).webhookCommands,
    ),
  hook: async () => {
    const { HOOK_GROUP, hookCommands } = await import('./commands/hooks/hook.js');
    const { hookInstallCommands } = await import('./commands/hooks/connect.js');
    return { group: HOOK_GROUP, commands: [...hookCommands, ...hookInstallCommands] };
  },
  overview: async () => single((await import('./commands/operations/overview.js')).overviewCommand),
  whoami: async () => single((await import('./commands/access/whoami.js')).whoAmICommand),
  activity: async () => single((await import('./commands/operations/activity.js')).activityCommand),
  runners: async () => single((await import('./commands/runs/runners.js')).runnersCommand),
};

/** Commands that `main/` implements. */
const WIRED_COMMANDS = {
  serve: async (wired) => single((await import('./commands/operations/serve.js')).serveCommand(wired)),
  runner: async (wired) => single((await import('./commands/runs/runner.js')).runnerCommand(wired)),
  mcp: async (wired) => single((await import('./commands/operations/mcp.js')).mcpCommand(wired)),
  demo: async (wired) => single((await import('./commands/operations/demo.js')).demoCommand(wired)),
  schema: async (wired) =>
    group('schema', 'workflow schemas', (await import('./commands/schemas/schema.js')).schemaCommands(wired)),
  token: async (wired) =>
    group(
      'token',
      'bearer tokens, on the database itself',
      (await import('./commands/access/token.js')).tokenCommands(wired),
    ),
  db: async (wired) =>
    group(
      'db',
      'databases, without a service',
      (await import('./commands/operations/db.js')).dbCommands(wired),
    ),
  doctor: async (wired) => single((await import('./commands/operations/doctor.js')).doctorCommand(wired)),
  verify: async (wired) => single((await import('./commands/operations/verify.js')).verifyCommand(wired)),
  backup: async (wired) => single((await import('./commands/operations/backup.js')).backupCommand(wired)),
  restore: async (wired) => single((await import('./commands/operations/backup.js')).restoreCommand(wired)),
} satisfies Readonly<Record<string, (wired: WiredCommands) => Promise<ProgramPart>>>;

type CommandName = ClientCommandName | keyof typeof WIRED_COMMANDS;

/** In the order of the help. */
const ORDER: readonly CommandName[] = [
  'serve',
  'ready',
  'runner',
  'mcp',
  'connect',
  'disconnect',
  'demo',
  'schema',
  'state',
  'workflow',
  'session',
  'agent',
  'run',
  'callback',
  'webhook',
  'hook',
  'runners',
  'overview',
  'activity',
  'whoami',
  'token',
  'db',
  'doctor',
  'verify',
  'backup',
  'restore',
];

/** @returns The part that the command line names; all of them if it begins with anything else. */
export function programParts(
  word: string | undefined,
  wired: WiredCommands,
): Promise<readonly ProgramPart[]> {
  const named = ORDER.filter((one) => one === word);
  return Promise.all(
    (named.length === 0 ? ORDER : named).map((name) =>
      isClientCommandName(name) ? CLIENT_COMMANDS[name]() : WIRED_COMMANDS[name](wired),
    ),
  );
}

function single(spec: CommandSpec): ProgramPart {
  return { group: null, commands: [spec] };
}

function group(name: string, summary: string, commands: readonly CommandSpec[]): ProgramPart {
  return { group: { name, summary }, commands };
}
