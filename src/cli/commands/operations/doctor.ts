// `countersign doctor`: reports violated invariants.
import { clientCommand } from '../../client-command.js';
import type { CommandSpec } from '../../command.js';
import { EXIT } from '../../text/exit-codes.js';
import { textFlag } from '../../flag.js';
import { table } from '../../text/table.js';
import type { WiredCommands } from '../../wiring.js';

export function doctorCommand({ examineFile }: Pick<WiredCommands, 'examineFile'>): CommandSpec {
  return clientCommand({
    usage: 'doctor',
    summary: 'look for lost callbacks, altered histories, damaged records and the like',
    flags: {
      db: textFlag(
        '--db <file>',
        'look at this database file or postgres://… instead, without a service; nothing is changed',
      ),
    },
    examples: ['countersign doctor || echo "something is wrong"', 'countersign doctor --db backup.db --json'],
    notes: `With --db, COUNTERSIGN_SIGNING_SECRET lets it check signatures; without it, the hashes alone are checked. Exit code ${EXIT.ok}
where all is well, ${EXIT.refused} where there are findings.`,
    run: async ({ client, io, out, flags: { db } }) => {
      const result = await (db === undefined ? client.operations.doctor() : examineFile(db, io.env));
      const code = out.show(result, ({ healthy, findings }) =>
        healthy
          ? 'All is well.\n'
          : table(
              ['check', 'subject', 'finding'],
              findings.map((one) => [one.check, one.subject, one.detail]),
              out.style,
            ),
      );
      return result.ok && !result.value.healthy ? EXIT.refused : code;
    },
  });
}
