// `countersign runners`: lists the runners.
import { clientCommand } from '../../client-command.js';
import { table, time } from '../../text/table.js';

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
