// `countersign state migrate`: moves a state to another version of its schema.
import { clientCommand } from '../../client-command.js';
import { readDocument } from '../../files/document.js';
import { integerFlag, required, switchFlag, textFlag } from '../../flag.js';
import { given } from '../page.js';
import { stateOf } from './state-target.js';
import { written } from './state-written.js';

export const migrate = clientCommand({
  usage: 'migrate [state]',
  summary: 'move a workflow state to another version of its schema',
  flags: {
    to: required(integerFlag('--to <version>', 'version of the schema', { min: 1 })),
    operations: textFlag(
      '--operations <patch>',
      'JSON Patch that makes the document fit: a file, - for standard input, or JSON',
    ),
    allowExisting: switchFlag(
      '--allow-existing',
      'let values stay that the version refuses and the operations do not touch',
    ),
    expectedVersion: integerFlag('--expected-version <n>', 'refuse it where the state has another version', {
      min: 1,
    }),
    dryRun: switchFlag('--dry-run', 'only say what would be'),
  },
  examples: [
    'countersign state migrate wfstate_1 --to 3 --dry-run',
    `countersign state migrate wfstate_1 --to 3 --operations '[{"op": "add", "path": "/owner", "value": "ann"}]'`,
  ],
  notes: 'Within a run, WORKFLOW_STATE_ID names the state; only the root of its tree may migrate it.',
  run: async (input) => {
    const { to, operations, allowExisting, expectedVersion, dryRun } = input.flags;
    const body = {
      schema_version: to,
      ...(operations === undefined ? {} : { operations: await readDocument(operations, input.io) }),
      ...(allowExisting ? { allow_existing: true } : {}),
      ...given({ expected_version: expectedVersion }),
    };
    return written(
      input.out,
      await input.client.states.migrate(await stateOf(input), body, { dryRun }),
      dryRun,
    );
  },
});
