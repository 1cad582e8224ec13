// `countersign state …`: creates, lists, reads and writes workflow states.
import { clientCommand } from '../../client-command.js';
import type { CommandSpec } from '../../command.js';
import { readDocument } from '../../files/document.js';
import { choiceFlag, integerFlag, pointerFlag, required, switchFlag, textFlag } from '../../flag.js';
import { time } from '../../text/table.js';
import { reference } from '../sessions/reference.js';
import { given, pageFlags, pageText } from '../page.js';
import { exportCommand } from './state-export.js';
import { headCommand } from './state-head.js';
import { importCommand } from './state-import.js';
import { keysCommand } from './state-keys.js';
import { migrate } from './state-migrate.js';
import { mirrorCommand } from './state-mirror.js';
import { diffCommand, opsCommand, revertCommand } from './state-operators.js';
import { OF_RUN, stateOf } from './state-target.js';
import { stateText } from './state-text.js';
import { patchCommand, setCommand } from './state-write.js';
import { stateWait } from './state-wait.js';
import { stateWatch } from './state-watch.js';

const create = clientCommand({
  usage: 'create',
  summary: 'create a workflow state for a tree of sessions',
  flags: {
    schema: required(textFlag('--schema <name>', 'workflow schema that it is bound to')),
    schemaVersion: integerFlag('--schema-version <n>', 'version of that schema (default: the newest)', {
      min: 1,
    }),
    data: textFlag(
      '--data <document>',
      'first document: a file, - for standard input, or JSON (default: {})',
    ),
    rootSession: textFlag('--root-session <session>', 'root of the tree: id or name (default: a new one)'),
  },
  examples: [`countersign state create --schema plan --data '{"tasks": []}'`],
  run: async ({ flags: { schema, schemaVersion, data, rootSession }, client, out, io }) => {
    const result = await client.states.create({
      schema_name: schema,
      initial_data: data === undefined ? {} : await readDocument(data, io),
      ...given({ schema_version: schemaVersion }),
      ...reference('root_session', rootSession),
    });
    return out.show(result, (state) => stateText(out, state));
  },
});

const list = clientCommand({
  usage: 'list',
  summary: 'list the workflow states',
  flags: {
    schema: textFlag('--schema <name>', 'only those bound to this schema'),
    search: textFlag('--search <text>', 'only those whose root session has a name that starts so'),
    orphaned: switchFlag('--orphaned', 'only those whose root session was deleted'),
    ...pageFlags,
    order: choiceFlag('--order <order>', 'which come first (default: oldest)', [
      'oldest',
      'newest',
      'changed',
    ]),
  },
  examples: ['countersign state list --schema plan', 'countersign state list --order changed --limit 10'],
  run: async ({ flags: { orphaned, ...flags }, client, out }) =>
    out.show(await client.states.list({ ...given(flags), ...(orphaned ? { orphaned } : {}) }), (page) =>
      pageText(out, page, ['state', 'schema', 'version', 'root session', 'updated'], (one) => [
        one.state_id,
        `${one.schema_name}@${one.schema_version}`,
        one.version,
        one.root_session_name,
        time(one.updated_at),
      ]),
    ),
});

const get = clientCommand({
  usage: 'get [state]',
  summary: 'print a workflow state',
  flags: {
    pointer: pointerFlag(
      '--pointer <pointer>',
      'only what stands at this JSON Pointer, the empty one being the whole document',
    ),
    atVersion: integerFlag('--at-version <n>', 'as it was in this version', { min: 1 }),
    dataOnly: switchFlag('--data-only', 'only the document, as JSON'),
  },
  examples: ['countersign state get wfstate_1 --data-only', 'countersign state get --pointer /tasks/0'],
  notes: OF_RUN,
  run: async (input) => {
    const { flags, client, out } = input;
    const stateId = await stateOf(input);
    if (flags.pointer !== undefined) {
      const result = await client.states.getAt(stateId, flags.pointer, flags.atVersion);
      if (!result.ok || !flags.dataOnly) return out.show(result, ({ value }) => out.document(value));
      return out.show({ ok: true, value: result.value.value }, out.document);
    }
    const result = await client.states.get(stateId, flags.atVersion);
    if (!result.ok || !flags.dataOnly) return out.show(result, (state) => stateText(out, state));
    return out.show({ ok: true, value: result.value.current_data }, out.document);
  },
});

const log = clientCommand({
  usage: 'log [state]',
  summary: 'list the writes of a workflow state, oldest first',
  flags: {
    since: integerFlag('--since <version>', 'only those after this version'),
    limit: integerFlag('--limit <n>', 'how many', { min: 1, max: 1000 }),
    key: textFlag('--key <key>', 'only those that changed this top-level member'),
    session: textFlag('--session <session>', 'only those of this session, id or name'),
  },
  examples: ['countersign state log wfstate_1 --since 5', 'countersign state log wfstate_1 --key status'],
  notes: OF_RUN,
  run: async (input) => {
    const { flags, client, out } = input;
    return out.show(
      await client.states.events(await stateOf(input), given(flags)),
      ({ events, next_since: next }) => {
        if (next !== undefined) out.note(`There is more: add --since ${String(next)}`);
        return pageText(
          out,
          { items: events, next_cursor: null },
          ['version', 'when', 'kind', 'by', 'late', 'patch'],
          (one) => [
            one.version,
            time(one.created_at),
            one.kind,
            one.session_id ?? 'operator',
            one.late ? 'late' : '',
            JSON.stringify(one.patch),
          ],
        );
      },
    );
  },
});

export const stateCommands: readonly CommandSpec[] = [
  create,
  list,
  get,
  setCommand,
  patchCommand,
  opsCommand,
  diffCommand,
  revertCommand,
  log,
  stateWait,
  stateWatch,
  mirrorCommand,
  migrate,
  headCommand,
  exportCommand,
  importCommand,
  keysCommand,
];
