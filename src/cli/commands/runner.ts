// `countersign runner`, which executes runs, and `countersign runners`, which lists who does.
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { clientCommand, serviceFlags } from '../client-command.js';
import { plainCommand, type CommandSpec } from '../command.js';
import { byDefault, choiceFlag, listFlag, required, textFlag } from '../flag.js';
import { table, time } from '../table.js';
import type { WiredCommands } from '../wiring.js';
import { concurrentFlag, execFlag, logLevelFlag, projectDirFlag } from './process-flags.js';

export function runnerCommand({ runner }: WiredCommands): CommandSpec {
  return plainCommand({
    usage: 'runner',
    summary: 'claim runs and execute them',
    flags: {
      ...serviceFlags,
      executor: byDefault(
        choiceFlag('--executor <type>', 'how runs are executed', ['command'], {
          env: 'COUNTERSIGN_EXECUTOR',
        }),
        'command',
      ),
      exec: required(execFlag),
      hostname: byDefault(
        textFlag('--hostname <name>', 'name of this machine, for runs that demand one', {
          env: 'COUNTERSIGN_HOSTNAME',
        }),
        hostname(),
      ),
      projectDir: projectDirFlag,
      tags: listFlag('--tag <tag...>', 'what runs may demand', { env: 'COUNTERSIGN_TAGS' }),
      concurrent: concurrentFlag,
      logLevel: logLevelFlag,
    },
    examples: ['countersign runner --url http://127.0.0.1:4717 --executor command --exec "claude -p"'],
    run: ({ flags: { concurrent, projectDir, ...flags }, io }) =>
      runner({ ...flags, projectDir: resolve(projectDir), concurrentMax: concurrent }, io),
  });
}

export const runnersCommand = clientCommand({
  usage: 'runners',
  summary: 'list the runners',
  flags: {},
  examples: ['countersign runners'],
  run: async ({ client, out }) =>
    out.show(await client.runners.list(), ({ items }) =>
      table(
        ['runner', 'hostname', 'executors', 'tags', 'runs', 'last seen'],
        items.map((one) => [
          one.runner_id,
          one.hostname,
          one.executor_types.join(','),
          one.tags.join(','),
          `${one.active_runs}/${one.max_concurrent}`,
          time(one.last_seen_at),
        ]),
        out.style,
      ),
    ),
});
