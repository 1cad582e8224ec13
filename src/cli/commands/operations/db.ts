// `countersign db …`: works on databases themselves, without a service.
import { plainCommand, type CommandSpec } from '../../command.js';
import { jsonFlag } from '../../client-command.js';
import { required, textFlag } from '../../flag.js';
import { EXIT } from '../../text/exit-codes.js';
import type { WiredCommands } from '../../wiring.js';

export function dbCommands({ copyDatabase }: WiredCommands): readonly CommandSpec[] {
  return [
    plainCommand({
      usage: 'copy',
      summary: 'copy a database file to PostgreSQL, and compare both',
      flags: {
        from: required(textFlag('--from <file>', 'the database file; no coordinator may run on it')),
        to: required(textFlag('--to <url>', 'postgres://… of an empty database')),
        ...jsonFlag,
      },
      examples: [
        'countersign db copy --from .countersign/countersign.db --to postgres://countersign@db.example/countersign',
      ],
      notes: `After an interruption, run the same command again: it goes on. Until it has ended with ${String(EXIT.ok)}, no coordinator starts on the new database. The file is not changed.`,
      run: ({ flags, io }) => copyDatabase(flags, io),
    }),
  ];
}
