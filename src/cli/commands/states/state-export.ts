// `countersign state export`: writes a state with its schema as one document, for an archive or an import.
import { stat, writeFile } from 'node:fs/promises';
import { ok, type Result } from '../../../domain/errors.js';
import type { EventView } from '../../../ports/api/index.js';
import type { StateService } from '../../../ports/service.js';
import { clientCommand } from '../../client-command.js';
import { switchFlag, textFlag } from '../../flag.js';
import { codeOf, replaceFile, writeTargetOf } from '../../connect/replace-file.js';
import { stateFile } from '../../files/state-file.js';
import { UsageError } from '../../usage-error.js';
import { jsonText } from '../../text/terminal-text.js';
import { OF_RUN, stateOf } from './state-target.js';

/** Events per request; a page may hold fewer. */
const PAGE_EVENTS = 1000;

export const exportCommand = clientCommand({
  usage: 'export [state]',
  summary: 'write a workflow state with its schema as one JSON document',
  flags: {
    history: switchFlag('--history', 'with the events of its history, as far as they are kept'),
    out: textFlag('--out <file>', 'file to write, or to write over (default: standard output)'),
  },
  examples: [
    'countersign state export wfstate_1 --out ./state.json',
    'countersign state export wfstate_1 --history',
  ],
  notes: `countersign state import makes a new state of it. ${OF_RUN}`,
  run: async (input) => {
    const { flags, client, out } = input;
    const state = await client.states.get(await stateOf(input));
    if (!state.ok) return out.refuse(state.failure);
    const { state_id, version, schema_name, schema_version } = state.value;
    const schema = await client.schemas.get(schema_name, schema_version);
    if (!schema.ok) return out.refuse(schema.failure);
    const events = flags.history ? await historyUpTo(client.states, state_id, version) : ok(null);
    if (!events.ok) return out.refuse(events.failure);
    const file = stateFile(state.value, schema.value, events.value);
    const path = flags.out;
    if (path === undefined) return out.show(ok(file), () => out.document(file));
    await write(path, `${jsonText(file, 2)}\n`);
    const answer = { state_id, version, events: events.value?.length ?? null, file: path };
    return out.show(ok(answer), () => out.free(`${state_id}  version ${version}, written to ${path}\n`));
  },
});

/** The stored events, oldest first, up to the version of the document. */
async function historyUpTo(
  states: StateService,
  stateId: string,
  version: number,
): Promise<Result<readonly EventView[]>> {
  const found: EventView[] = [];
  for (;;) {
    const last = found.at(-1)?.version;
    const cursor = last === undefined ? {} : { since: last };
    const page = await states.events(stateId, { limit: PAGE_EVENTS, ...cursor });
    if (!page.ok) return page;
    for (const event of page.value.events) if (event.version <= version) found.push(event);
    if (!page.value.has_more || (found.at(-1)?.version ?? 0) >= version) return ok(found);
  }
}

/** Replaces a file in one step: a full disk leaves the export that was there. Anything else, such as a device, is written to. */
async function write(path: string, text: string): Promise<void> {
  try {
    const there = await stat(path).catch(() => null);
    // Opening a FIFO waits until somebody reads it.
    if (there?.isFIFO() === true) {
      throw new UsageError(`${path} is a FIFO; leave --out out, and redirect standard output to it`);
    }
    if (there?.isFile() === false || !(await isReplaced(path, text))) await writeFile(path, text);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`The file ${path} cannot be written (${codeOf(error)})`, { cause: error });
  }
}

/** @returns False if the folder takes no other file. */
async function isReplaced(path: string, text: string): Promise<boolean> {
  try {
    await replaceFile(await writeTargetOf(path), text);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EACCES') return false;
    throw error;
  }
}
