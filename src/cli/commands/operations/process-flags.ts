// Flags that the process-starting commands share.
import { EXECUTOR_TYPES, reservedByRunner } from '../../../agent-clients/index.js';
import { DEFAULT_LIMITS } from '../../../domain/limits.js';
import {
  byDefault,
  choiceFlag,
  choicesFlag,
  formedList,
  integerFlag,
  listFlag,
  textFlag,
  type Values,
} from '../../flag.js';
import { UsageError } from '../../usage-error.js';
import { wordsOf } from '../../text/words.js';
import type { ExecutionOptions } from '../../wiring.js';

/** If absent, `main` finds the database: `.countersign/countersign.db`. */
export const dbFlag = textFlag(
  '--db <file>',
  'database file, or postgres://… (default: .countersign/countersign.db)',
  {
    env: true,
  },
);

export const logLevelFlag = byDefault(
  choiceFlag('--log-level <level>', 'what is logged', ['silent', 'error', 'warn', 'info', 'debug'], {
    env: true,
  }),
  'info',
);

export const DEFAULT_EXECUTORS = ['command'] as const;

/** Has no default, so that a caller sees whether it was given; `executionFlags` has the same flag with a default. */
export const executorFlag = choicesFlag(
  '--executor <type...>',
  'how runs are executed; the first takes runs that name none',
  EXECUTOR_TYPES,
  { env: true },
);

/** How a runner executes its runs. */
export const executionFlags = {
  executors: byDefault(executorFlag, DEFAULT_EXECUTORS),
  exec: textFlag(
    '--exec <command>',
    'shell command line that is the agent of the executor command: prompt on stdin, result on stdout',
    { env: true },
  ),
  agentModel: textFlag('--agent-model <model>', 'model of the other executors, in their own words', {
    env: true,
  }),
  agentArgs: textFlag('--agent-args <args>', 'further arguments for their programs', { env: true }),
  recordBy: byDefault(
    choiceFlag('--record-by <way>', 'how their results are recorded', ['tools', 'output'], { env: true }),
    'tools',
  ),
};

/**
 * Returns `null` if the executor `command` is selected without a command line.
 *
 * @param byAgents - Named agents may define the command line.
 * @throws UsageError If an argument conflicts with one that the runner sets itself.
 */
export function executionOf(
  given: Values<typeof executionFlags>,
  byAgents: boolean,
): ExecutionOptions | null {
  const { executors, exec, agentModel, agentArgs, recordBy } = given;
  if (executors.includes('command') && exec === undefined && !byAgents) return null;
  return {
    executors,
    exec: exec ?? '',
    agentModel: agentModel ?? null,
    agentArgs: checkedAgentArgs(wordsOf(agentArgs ?? ''), executors),
    recordBy,
  };
}

/** Checks the arguments against every executor of the runner, because all of them get the arguments. */
function checkedAgentArgs(args: readonly string[], executors: readonly string[]): readonly string[] {
  for (const executor of executors) {
    const reserved = reservedByRunner(executor, args)[0];
    if (reserved === undefined) continue;
    throw new UsageError(
      `--agent-args (COUNTERSIGN_AGENT_ARGS) has ${reserved.flag}, which the runner sets itself for every run of ${executor}; instead: ${reserved.instead}`,
    );
  }
  return args;
}

export const projectDirFlag = byDefault(
  textFlag('--project-dir <dir>', 'where runs work that name no directory', { env: true }),
  '.',
);

export const concurrentFlag = byDefault(
  integerFlag('--concurrent <n>', 'runs at a time', {
    env: true,
    min: 1,
    max: DEFAULT_LIMITS.runnerConcurrentMax,
  }),
  DEFAULT_LIMITS.runnerConcurrentDefault,
);

export const allowHostsFlag = formedList(
  listFlag('--allow-host <host...>', 'names that callers may know the service by', { env: true }),
  /^[^\s,/@?#\\]+$/,
  'names or addresses of the service, such as tools.example',
);

export const allowOriginsFlag = formedList(
  listFlag('--allow-origin <origin...>', 'origins of pages that may call the service', { env: true }),
  /^[a-z][a-z0-9+.-]*:\/\/[^\s,/@?#\\]+\/?$/i,
  'origins of pages, such as https://tools.example',
);
