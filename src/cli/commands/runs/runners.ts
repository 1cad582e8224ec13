// `countersign runners`: lists the runners.
import { clientCommand } from '../../client-command.js';
import { time } from '../../text/table.js';
import { given, pageFlags, pageText } from '../page.js';

export const runnersCommand = clientCommand({
  usage: 'runners',
  summary: 'list the runners',
  flags: pageFlags,
  examples: ['countersign runners'],
  run: async ({ client, flags, out }) =>
    out.show(await client.runners.list(given(flags)), (page) =>
      pageText(out, page, ['runner', 'hostname', 'executors', 'tags', 'runs', 'last seen'], (one) => [
        one.runner_id,
        one.hostname,
        one.executor_types.join(','),
        one.tags.join(','),
        `${one.active_runs}/${one.max_concurrent}`,
        time(one.last_seen_at),
      ]),
    ),
});
