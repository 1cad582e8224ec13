// `countersign overview`: prints numbers of all records.
import { clientCommand } from '../../client-command.js';
import { record } from '../../text/table.js';

export const overviewCommand = clientCommand({
  usage: 'overview',
  summary: 'count what there is: trees, states, sessions, completions, runs, callbacks, runners',
  examples: ['countersign overview', 'countersign overview --json'],
  run: async ({ client, out }) =>
    out.show(await client.operations.overview(), (all) =>
      record(out.style, [
        ['active trees', all.trees.active],
        ['workflow states', all.workflow_states.all],
        ['sessions', counted(all.sessions)],
        ['completions', counted(all.completions)],
        ['runs', counted(all.runs)],
        ['callbacks', counted(all.callbacks)],
        ['webhook deliveries', counted(all.webhook_deliveries)],
        [
          'runners',
          `${String(all.runners.all)} with ${String(all.runners.active_runs)} of ${String(all.runners.max_concurrent)} runs`,
        ],
      ]),
    ),
});

function counted(byStatus: Readonly<Record<string, number>>): string {
  const parts = Object.entries(byStatus).map(([status, count]) => `${String(count)} ${status}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}
