// `countersign state ops|diff|revert`: atomic operators, differences between versions, and reverting.
import { clientCommand } from '../../client-command.js';
import { readDocument } from '../../files/document.js';
import { integerFlag, required } from '../../flag.js';
import { given } from '../page.js';
import { OF_RUN, stateAndDocument, stateOf } from './state-target.js';
import { writeFlags } from './state-write.js';
import { written } from './state-written.js';

export const opsCommand = clientCommand({
  usage: 'ops [state-or-operations] [operations]',
  summary: 'apply atomic operators to a workflow state: increment, append, merge, set, delete',
  flags: writeFlags,
  examples: [
    `countersign state ops '[{"op": "increment", "pointer": "/count", "delta": 1}]'`,
    `countersign state ops wfstate_1 '[{"op": "append", "pointer": "/log", "items": ["done"]}]'`,
  ],
  notes: OF_RUN,
  run: async (input) => {
    const { stateId, document } = await stateAndDocument(input);
    const operations = await readDocument(document, input.io);
    const result = await input.client.states.ops(stateId, operations, input.flags);
    return written(input.out, result, input.flags.dryRun);
  },
});

export const diffCommand = clientCommand({
  usage: 'diff [state]',
  summary: 'print the JSON Patch that leads from one version of a workflow state to another',
  flags: {
    from: required(integerFlag('--from <version>', 'the one that it leads from', { min: 1 })),
    to: integerFlag('--to <version>', 'the one that it leads to (default: the present)', { min: 1 }),
  },
  examples: ['countersign state diff wfstate_1 --from 3 --to 7'],
  notes: OF_RUN,
  run: async (input) => {
    const { flags, client, out } = input;
    const query = { from: flags.from, ...given({ to: flags.to }) };
    return out.show(await client.states.diff(await stateOf(input), query), ({ patch }) =>
      out.document(patch),
    );
  },
});

export const revertCommand = clientCommand({
  usage: 'revert [state]',
  summary: 'write an old version of a workflow state as a new one',
  flags: {
    to: required(integerFlag('--to <version>', 'version to restore', { min: 1 })),
    ...writeFlags,
  },
  examples: ['countersign state revert wfstate_1 --to 3 --dry-run'],
  notes: OF_RUN,
  run: async (input) => {
    const { to, ...options } = input.flags;
    return written(
      input.out,
      await input.client.states.revert(await stateOf(input), to, options),
      options.dryRun,
    );
  },
});
