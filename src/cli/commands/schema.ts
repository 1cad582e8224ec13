// `countersign schema …`: workflow schemas.
import type { SchemaView } from '../../ports/api/index.js';
import { clientCommand } from '../client-command.js';
import type { CommandSpec } from '../command.js';
import { readDocument } from '../document.js';
import { integerFlag, required, textFlag } from '../flag.js';
import { record, time, type Style } from '../table.js';
import { given, pageFlags, pageText } from './page.js';

const register = clientCommand({
  usage: 'register <file>',
  summary: 'register a JSON Schema from a file, or - for standard input',
  flags: {
    name: required(textFlag('--name <name>', 'name of the workflow schema')),
    description: textFlag('--description <text>', 'what it is for'),
  },
  examples: ['countersign schema register ./plan.schema.json --name plan'],
  notes: 'Content that is registered already keeps its version.',
  run: async ({ flags: { name, description }, arg, client, out, io }) => {
    const json_schema = await readDocument(arg(0), io);
    const outcome = await client.schemas.register({ name, json_schema, ...given({ description }) });
    if (!outcome.ok) return out.refuse(outcome.refusal);
    const { schema, created } = outcome.value;
    if (!created) out.note('The schema was registered before; it keeps its version.');
    return out.show({ ok: true, value: schema }, (one) => schemaText(one, out.style));
  },
});

const list = clientCommand({
  usage: 'list',
  summary: 'list the newest version of each schema',
  flags: pageFlags,
  examples: ['countersign schema list'],
  run: async ({ flags, client, out }) =>
    out.show(await client.schemas.list(given(flags)), (page) =>
      pageText(out, page, ['name', 'version', 'registered', 'description'], (one) => [
        one.name,
        one.version,
        time(one.created_at),
        one.description,
      ]),
    ),
});

const show = clientCommand({
  usage: 'show <name>',
  summary: 'print a schema, the newest version where none is named',
  flags: { version: integerFlag('--version <n>', 'which version', { min: 1 }) },
  examples: ['countersign schema show plan --version 2'],
  run: async ({ flags: { version }, arg, client, out }) =>
    out.show(
      await client.schemas.get(arg(0), version),
      (one) => `${schemaText(one, out.style)}\n${out.document(one.json_schema)}`,
    ),
});

function schemaText(schema: SchemaView, style: Style): string {
  return record(
    [
      ['schema', schema.name],
      ['version', schema.version],
      ['id', schema.schema_id],
      ['registered', time(schema.created_at)],
      ['description', schema.description ?? undefined],
    ],
    style,
  );
}

export const schemaCommands: readonly CommandSpec[] = [register, list, show];
