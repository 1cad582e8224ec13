// All commands, by the first word of the command line. The modules of a command are loaded when a command line names
// it: agents call commands dozens of times in a run.
import type { CommandSpec } from './command.js';
import type { ProgramPart } from './program.js';
import type { WiredCommands } from './wiring.js';

type Load = (wired: WiredCommands) => Promise<readonly CommandSpec[]>;

/** In the order of the help. `main/` implements those that take `wired`. */
export const COMMANDS = {
  serve: async (wired) => [(await import('./commands/operations/serve.js')).serveCommand(wired)],
  ready: async () => [(await import('./commands/operations/ready.js')).readyCommand],
  runner: async (wired) => [(await import('./commands/runs/runner.js')).runnerCommand(wired)],
  mcp: async (wired) => [(await import('./commands/operations/mcp.js')).mcpCommand(wired)],
  connect: async () => [(await import('./commands/hooks/connect.js')).connectCommand],
  disconnect: async () => [(await import('./commands/hooks/connect.js')).disconnectCommand],
  demo: async (wired) => [(await import('./commands/operations/demo.js')).demoCommand(wired)],
  schema: async (wired) => (await import('./commands/schemas/schema.js')).schemaCommands(wired),
  state: async () => (await import('./commands/states/state.js')).stateCommands,
  workflow: async () => (await import('./commands/workflow/workflow.js')).workflowCommands,
  session: async () => (await import('./commands/sessions/session.js')).sessionCommands,
  agent: async () => (await import('./commands/agents/agent.js')).agentCommands,
  run: async () => (await import('./commands/runs/run.js')).runCommands,
  callback: async () => (await import('./commands/callbacks/callback.js')).callbackCommands,
  webhook: async () => (await import('./commands/webhooks/webhook.js')).webhookCommands,
  hook: async () => {
    const { hookCommands } = await import('./commands/hooks/hook.js');
    const { hookInstallCommands } = await import('./commands/hooks/connect.js');
    return [...hookCommands, ...hookInstallCommands];
  },
  runners: async () => [(await import('./commands/runs/runners.js')).runnersCommand],
  overview: async () => [(await import('./commands/operations/overview.js')).overviewCommand],
  activity: async () => [(await import('./commands/operations/activity.js')).activityCommand],
  whoami: async () => [(await import('./commands/access/whoami.js')).whoAmICommand],
  token: async (wired) => (await import('./commands/access/token.js')).tokenCommands(wired),
  db: async (wired) => (await import('./commands/operations/db.js')).dbCommands(wired),
  doctor: async (wired) => [(await import('./commands/operations/doctor.js')).doctorCommand(wired)],
  verify: async (wired) => [(await import('./commands/operations/verify.js')).verifyCommand(wired)],
  backup: async (wired) => [(await import('./commands/operations/backup.js')).backupCommand(wired)],
  restore: async (wired) => [(await import('./commands/operations/backup.js')).restoreCommand(wired)],
} satisfies Readonly<Record<string, Load>>;

/** @returns The part that the command line names; all of them if it begins with anything else. */
export function programParts(
  word: string | undefined,
  wired: WiredCommands,
): Promise<readonly ProgramPart[]> {
  const all = Object.entries<Load>(COMMANDS);
  const named = all.filter(([name]) => name === word);
  return Promise.all(
    (named.length === 0 ? all : named).map(async ([name, load]) => ({ name, commands: await load(wired) })),
  );
}
