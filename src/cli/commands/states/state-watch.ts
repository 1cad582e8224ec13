// `countersign state watch`: prints every change as it happens, one line each.
import { watch } from '../../../client/index.js';
import type { StreamEvent } from '../../../ports/api/index.js';
import { clientCommand } from '../../client-command.js';
import { EXIT } from '../../text/exit-codes.js';
import { integerFlag, switchFlag } from '../../flag.js';
import { jsonText } from '../../text/terminal-text.js';
import type { Output } from '../../text/output.js';
import { time } from '../../text/table.js';
import { stateOf } from './state-target.js';

export const stateWatch = clientCommand({
  usage: 'watch [state]',
  summary: 'print every change of a workflow state as it happens',
  flags: {
    since: integerFlag('--since <version>', 'begin after this version (default: the present one)'),
    snapshot: switchFlag('--snapshot', 'begin with the whole state'),
  },
  examples: ['countersign state watch wfstate_1 --since 5', 'countersign state watch --snapshot --json'],
  notes:
    'Goes on over lost connections and restarts of the service. With --json each line is one event. Ends at the first event after its reader is gone; state wait and timeout end by themselves. Within a run, WORKFLOW_STATE_ID names the state.',
  run: async (input) => {
    const { flags, client, out, io } = input;
    for await (const event of watch(client, await stateOf(input), flags)) {
      if (!event.ok) return out.refuse(event.failure);
      if (event.value.event === 'bookmark') continue;
      io.stdout.write(out.isJson ? `${jsonText(event.value)}\n` : lineOf(out, event.value));
    }
    return EXIT.ok;
  },
});

function lineOf(out: Output, { event, id, data }: StreamEvent): string {
  if (event === 'snapshot') return `version ${id}\n${out.document(data.current_data)}`;
  if (event !== 'workflow_state_updated') return out.free(`${event} ${jsonText(data)}\n`);
  const who = data.updated_by_session ?? 'operator';
  return out.free(`version ${id}  ${time(data.timestamp)}  ${who}  ${jsonText(data.patch)}\n`);
}
