// Commands on archives: invocations that were moved out of a workflow record.
import { clientCommand } from '../../client-command.js';
import type { CommandSpec } from '../../command.js';
import { integerFlag, required, textFlag } from '../../flag.js';
import { OF_RUN, stateOf } from '../states/state-target.js';
import { archiveText, writtenText } from './workflow-text.js';

const compact = clientCommand({
  usage: 'compact [state]',
  summary: 'move ended invocations to an archive, which happens by itself when there are many',
  flags: { keep: integerFlag('--keep <n>', 'how many of them stay, the newest (default: 3)', { max: 1000 }) },
  examples: ['countersign workflow compact wfstate_1 --keep 0'],
  notes: OF_RUN,
  run: async (input) => {
    const { keep } = input.flags;
    const body = keep === undefined ? {} : { keep };
    return input.out.show(await input.client.workflow.compact(await stateOf(input), body), writtenText);
  },
});

const archive = clientCommand({
  usage: 'archive [state]',
  summary: 'show invocations that were moved to an archive',
  flags: { id: required(textFlag('--id <archive>', 'which archive')) },
  examples: ['countersign workflow archive wfstate_1 --id arc_1'],
  notes: `countersign workflow show names the archives.\n${OF_RUN}`,
  run: async (input) =>
    input.out.show(await input.client.workflow.archive(await stateOf(input), input.flags.id), (found) =>
      archiveText(input.out, found),
    ),
});

export const archiveCommands: readonly CommandSpec[] = [compact, archive];
