// `countersign state head`: prints the newest event's hash, to keep elsewhere.
import { ok } from '../../../domain/errors.js';
import { clientCommand } from '../../client-command.js';
import { OF_RUN, stateOf } from './state-target.js';

export const headCommand = clientCommand({
  usage: 'head [state]',
  summary: 'print the newest version and its hash, for countersign verify --expect-head',
  examples: ['countersign state head wfstate_1', 'countersign state head wfstate_1 --json | jq -r .hash'],
  notes: `Kept outside the service, the hash shows later that the database did not go back to an older copy. ${OF_RUN}`,
  run: async (input) => {
    const { client, out } = input;
    const stateId = await stateOf(input);
    // No `get`: that would move the read cursor of a session to a document that it is not shown.
    const state = await client.states.wait(stateId, { until: {}, timeout_ms: 0 });
    if (!state.ok) return out.refuse(state.failure);
    const page = await client.states.events(stateId, { since: state.value.version - 1, limit: 1 });
    if (!page.ok) return out.refuse(page.failure);
    const [event] = page.value.events;
    if (event === undefined) throw new Error('The newest version has no event');
    const { version, hash, signature } = event;
    return out.show(ok({ state_id: stateId, version, hash, signature }), () =>
      out.free(`${stateId}  version ${String(version)}  ${hash}\n`),
    );
  },
});
