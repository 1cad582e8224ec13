// `countersign doctor`: what must never be, and is.
import { clientCommand } from '../client-command.js';
import { EXIT } from '../exit-codes.js';
import { table } from '../table.js';

export const doctorCommand = clientCommand({
  usage: 'doctor',
  summary: 'look for lost callbacks, gaps in histories and the like',
  flags: {},
  examples: ['countersign doctor || echo "something is wrong"'],
  notes: `Exit code ${EXIT.ok} where all is well, ${EXIT.refused} where there are findings.`,
  run: async ({ client, out }) => {
    const outcome = await client.operations.doctor();
    const code = out.show(outcome, ({ healthy, findings }) =>
      healthy
        ? 'All is well.\n'
        : table(
            ['check', 'subject', 'finding'],
            findings.map((one) => [one.check, one.subject, one.detail]),
            out.style,
          ),
    );
    return outcome.ok && !outcome.value.healthy ? EXIT.refused : code;
  },
});
