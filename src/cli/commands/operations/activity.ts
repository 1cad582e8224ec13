// `countersign activity`: prints what was committed in the last hour.
import { clientCommand } from '../../client-command.js';
import { table, time } from '../../text/table.js';

export const activityCommand = clientCommand({
  usage: 'activity',
  summary: 'writes and ended runs of the last hour, minute by minute',
  examples: ['countersign activity', 'countersign activity --json'],
  notes: 'Counted by the coordinator that answers, since it started. Times are means in milliseconds.',
  run: async ({ client, out }) =>
    out.show(await client.operations.activity(), ({ items }) =>
      table(
        ['minute', 'writes', 'runs ended', 'failed', 'waited', 'took'],
        items.map((one) => [
          time(one.at),
          one.writes,
          one.runs_ended,
          one.runs_failed,
          one.run_wait_ms,
          one.run_ms,
        ]),
        out.style,
      ),
    ),
});
