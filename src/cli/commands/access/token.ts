// `countersign token …`: manages bearer tokens, which the database stores.
import { plainCommand, type CommandSpec } from '../../command.js';
import { jsonFlag } from '../../client-command.js';
import { choiceFlag, required, textFlag } from '../../flag.js';
import type { WiredCommands } from '../../wiring.js';
import { dbFlag } from '../operations/process-flags.js';

export function tokenCommands(commands: WiredCommands): readonly CommandSpec[] {
  return [
    plainCommand({
      usage: 'create',
      summary: 'make a token; it is shown once',
      flags: {
        name: required(textFlag('--name <name>', 'whose it is')),
        role: required(
          choiceFlag('--role <role>', 'what it allows', ['admin', 'orchestrator', 'runner', 'reader']),
        ),
        db: dbFlag,
        ...jsonFlag,
      },
      examples: ['countersign token create --name ci --role reader'],
      run: ({ flags, io }) => commands.tokenCreate(flags, io),
    }),
    plainCommand({
      usage: 'list',
      summary: 'list the tokens',
      flags: { db: dbFlag, ...jsonFlag },
      examples: ['countersign token list'],
      run: ({ flags, io }) => commands.tokenList(flags, io),
    }),
    plainCommand({
      usage: 'revoke <token>',
      summary: 'end a token, named by its id or name',
      flags: { db: dbFlag, ...jsonFlag },
      examples: ['countersign token revoke ci'],
      run: ({ flags, arg, io }) => commands.tokenRevoke({ ...flags, token: arg(0) }, io),
    }),
  ];
}
