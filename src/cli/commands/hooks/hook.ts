// `countersign hook …`: the commands that agent CLIs run as hooks.
import { agentClient, AGENT_CLIENT_NAMES, AGENT_CLIENTS } from '../../../agent-clients/index.js';
import type { HookEventNames } from '../../../agent-clients/hooks/client-hooks.js';
import type { Hook } from '../../../domain/hooks/clients.js';
import { DEFAULT_LIMITS } from '../../../domain/limits.js';
import { serviceFlags } from '../../client-command.js';
import { plainCommand, type CommandSpec } from '../../command.js';
import { byDefault, choiceFlag, durationFlag, spanOf, listFlag, required, textFlag } from '../../flag.js';
import { runAwaited } from '../../hooks/run-awaited.js';
import { runHook } from '../../hooks/run-hook.js';
import { runWake } from '../../hooks/run-wake.js';
import type { CliIo } from '../../io/io.js';

const clientFlag = required(choiceFlag('--client <client>', 'the agent CLI', AGENT_CLIENT_NAMES));

const common = {
  client: clientFlag,
  session: textFlag('--session <session>', 'the session that the client stands for, id or name', {
    env: 'AGENT_SESSION_ID',
  }),
  ...serviceFlags,
};

/**
 * The session that a hook is for: the flag, else the environment. If neither names one, the service finds the
 * session bound to the client's id.
 */
function named(session: string | undefined, { env }: CliIo): string | undefined {
  const name = env['AGENT_SESSION_NAME'];
  return session ?? (name === '' ? undefined : name);
}

const NOTHING = { waitMs: 0, agents: [], envFile: undefined };

const sessionStart = plainCommand({
  usage: 'session-start',
  summary: 'register the session, or find it again, and print its context',
  flags: {
    ...common,
    envFile: textFlag('--write-env <file>', 'append variables that say who the session is to this file', {
      env: agentClient('claude-code').hooks.variables.environmentFile,
    }),
  },
  examples: ['countersign hook session-start --client claude-code'],
  run: ({ flags, io }) =>
    runHook({ ...NOTHING, ...flags, hook: 'session-start', session: named(flags.session, io) }, io),
});

const stop = plainCommand({
  usage: 'stop',
  summary: 'let the session end its turn, or say why it has to go on',
  flags: {
    ...common,
    wait: byDefault(
      durationFlag('--wait <time>', 'wait at most so long for callbacks of children'),
      DEFAULT_LIMITS.hookWaitMs,
      spanOf(DEFAULT_LIMITS.hookWaitMs),
    ),
  },
  examples: ['countersign hook stop --client claude-code', 'countersign hook stop --client codex --wait 0s'],
  run: ({ flags, io }) =>
    runHook(
      { ...NOTHING, ...flags, hook: 'stop', waitMs: flags.wait, session: named(flags.session, io) },
      io,
    ),
});

const wake = plainCommand({
  usage: 'wake',
  summary: 'wait beside an idle session, and wake it with callbacks of children (asyncRewake)',
  flags: {
    ...common,
    wait: byDefault(
      durationFlag('--wait <time>', 'wait at most so long'),
      DEFAULT_LIMITS.hookWakeMs,
      spanOf(DEFAULT_LIMITS.hookWakeMs),
    ),
  },
  examples: ['countersign hook wake --client claude-code'],
  notes:
    'For Claude Code, which runs it with asyncRewake beside the stop hook. The input is that of a stop.\nExit code 2, with the callbacks on standard error, wakes the session; 0 where it waits for nothing more.',
  run: ({ flags, io }) => runWake({ ...flags, waitMs: flags.wait, session: named(flags.session, io) }, io),
});

const awaited = plainCommand({
  usage: 'awaited',
  summary: 'tell people which children the session waits for',
  flags: common,
  examples: ['countersign hook awaited --client codex'],
  notes:
    'Beside a stop hook that waits, or after the tool that starts a child. The input may be that of any event of the session.\nThe answer is a notice for people, or nothing.',
  run: ({ flags, io }) => runAwaited({ ...flags, session: named(flags.session, io) }, io),
});

const subagentStop = plainCommand({
  usage: 'subagent-stop',
  summary: 'the same for a sub-agent that counts as a child of the session',
  flags: { ...common, agents: listFlag('--agents <type...>', 'types of sub-agents that do') },
  examples: ['countersign hook subagent-stop --client claude-code --agents reviewer tester'],
  run: ({ flags, io }) =>
    runHook({ ...NOTHING, ...flags, hook: 'subagent-stop', session: named(flags.session, io) }, io),
});

const preToolUse = plainCommand({
  usage: 'pre-tool-use',
  summary: 'the gate: let a tool be used only where the workflow state can be read',
  flags: common,
  examples: ['countersign hook pre-tool-use --client claude-code || exit 2'],
  run: ({ flags, io }) =>
    runHook({ ...NOTHING, ...flags, hook: 'pre-tool-use', session: named(flags.session, io) }, io),
});

const sessionEnd = plainCommand({
  usage: 'session-end',
  summary: 'say that the client ends: a child that has not ended its work is lost',
  flags: common,
  examples: ['countersign hook session-end --client claude-code'],
  run: ({ flags, io }) =>
    runHook({ ...NOTHING, ...flags, hook: 'session-end', session: named(flags.session, io) }, io),
});

/** The clients that support a hook, for the help text. */
function hooksOf(hook: Hook): string {
  const has = (events: HookEventNames) => events[hook] !== undefined;
  return AGENT_CLIENTS.filter(({ hooks }) => has(hooks.events))
    .map(({ name }) => name)
    .join(', ');
}

const NOTE = [
  'The input is read from standard input, the answer is written to standard output, in the form of the client.',
  'Exit code 0 with every answer, 1 where there is none; pre-tool-use: 2, which blocks the tool.',
];

export const hookCommands: readonly CommandSpec[] = [
  wake,
  awaited,
  { ...sessionStart, notes: [`Clients: ${hooksOf('session-start')}.`, ...NOTE].join('\n') },
  { ...stop, notes: [`Clients: ${hooksOf('stop')}.`, ...NOTE].join('\n') },
  { ...subagentStop, notes: [`Clients: ${hooksOf('subagent-stop')}.`, ...NOTE].join('\n') },
  { ...sessionEnd, notes: [`Clients: ${hooksOf('session-end')}.`, ...NOTE].join('\n') },
  { ...preToolUse, notes: [`Clients: ${hooksOf('pre-tool-use')}.`, ...NOTE].join('\n') },
];
