// `countersign runner`: executes runs.
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { serviceFlags } from '../../client-command.js';
import { plainCommand, type CommandSpec } from '../../command.js';
import { byDefault, listFlag, textFlag } from '../../flag.js';
import { UsageError } from '../../usage-error.js';
import type { WiredCommands } from '../../wiring.js';
import {
  concurrentFlag,
  DEFAULT_EXECUTORS,
  executionFlags,
  executionOf,
  executorFlag,
  logLevelFlag,
  projectDirFlag,
} from '../operations/process-flags.js';

export function runnerCommand({ runner }: WiredCommands): CommandSpec {
  return plainCommand({
    usage: 'runner',
    summary: 'claim runs and execute them',
    flags: {
      ...serviceFlags,
      ...executionFlags,
      executors: executorFlag,
      hostname: byDefault(
        textFlag('--hostname <name>', 'name of this machine, for runs that demand one', { env: true }),
        hostname(),
      ),
      projectDir: projectDirFlag,
      tags: listFlag('--tag <tag...>', 'what runs may demand', { env: 'COUNTERSIGN_TAGS' }),
      concurrent: concurrentFlag,
      logLevel: logLevelFlag,
    },
    examples: [
      'countersign runner --url http://127.0.0.1:4717 --executor claude-code',
      'countersign runner --executor command --exec "./agent.sh"',
    ],
    run: ({ flags, io }) => {
      const { executors } = flags;
      // An explicit `--executor` without a command line means that the named agents define it.
      const execution = executionOf(
        { ...flags, executors: executors ?? DEFAULT_EXECUTORS },
        executors !== undefined,
      );
      if (execution === null) {
        throw new UsageError(
          '--exec is required (or COUNTERSIGN_EXEC in the environment); where named agents bring their commands, --executor command',
        );
      }
      const { url, token, hostname, tags, logLevel } = flags;
      return runner(
        {
          url,
          token,
          hostname,
          tags,
          logLevel,
          execution,
          projectDir: resolve(flags.projectDir),
          concurrentMax: flags.concurrent,
        },
        io,
      );
    },
  });
}
