// `countersign whoami`: prints the identity of the caller, as the service sees it.
import { clientCommand } from '../../client-command.js';
import { record } from '../../text/table.js';

export const whoAmICommand = clientCommand({
  usage: 'whoami',
  summary: 'whom the service takes the caller for, and what it may use',
  examples: ['countersign whoami', 'AGENT_SESSION_NAME=root countersign whoami --json'],
  run: async ({ client, out }) =>
    out.show(await client.operations.whoAmI(), (one) =>
      record(out.style, [
        ['caller', one.kind],
        ['session', one.session_id ?? undefined],
        ['token', one.token_name ?? undefined],
        ['rights', one.rights.join(', ')],
      ]),
    ),
});
