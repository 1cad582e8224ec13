// `countersign state import`: creates a new state from an exported one.
import type { SchemaService } from '../../../ports/service.js';
import { clientCommand } from '../../client-command.js';
import { readDocument } from '../../files/document.js';
import { textFlag } from '../../flag.js';
import { parseStateFile, type StateToImport } from '../../files/state-file.js';
import { given } from '../page.js';
import { reference } from '../sessions/reference.js';
import { stateText } from './state-text.js';

export const importCommand = clientCommand({
  usage: 'import <file>',
  summary: 'make a new workflow state of an exported one: a file, or - for standard input',
  flags: {
    rootSession: textFlag('--root-session <session>', 'root of the tree: id or name (default: a new one)'),
    schemaName: textFlag(
      '--schema-name <name>',
      'name to register the schema by (default: the exported one)',
    ),
  },
  examples: [
    'countersign state import ./state.json',
    'countersign state import ./state.json --root-session release --schema-name plan-copy',
  ],
  notes:
    'The schema is registered where its content is not known by that name. The state is a new one: its history begins\nwith version 1, and the one in the file is only for reading.',
  run: async ({ flags, arg, client, out, io }) => {
    const file = parseStateFile(await readDocument(arg(0), io, 'exportFileBytesMax'));
    const schema = await registered(client.schemas, flags.schemaName ?? file.schema.name, file.schema);
    if (!schema.ok) return out.refuse(schema.failure);
    const { name, version } = schema.value.schema;
    const result = await client.states.create({
      schema_name: name,
      schema_version: version,
      initial_data: file.data,
      ...reference('root_session', flags.rootSession),
    });
    if (!result.ok && schema.value.created) {
      const { detail } = result.failure;
      const note = `Version ${version} of the schema ${name} was registered before, and stays.`;
      return out.refuse({ ...result.failure, detail: `${detail} ${note}` });
    }
    if (result.ok && file.events > 0) {
      out.note(
        `The history of the file (events: ${file.events}) was left out; that of the new state begins now.`,
      );
    }
    return out.show(result, (state) => stateText(out, state));
  },
});

/** An existing name keeps its compatibility mode; a new one gets the mode of the exported schema. */
async function registered(
  schemas: SchemaService,
  name: string,
  { jsonSchema, description, compatibility }: StateToImport['schema'],
): ReturnType<SchemaService['register']> {
  const known = await schemas.get(name);
  if (!known.ok && known.failure.error !== 'schema_not_found') return known;
  return schemas.register({
    name,
    json_schema: jsonSchema,
    description,
    ...(known.ok ? {} : given({ compatibility: compatibility ?? undefined })),
  });
}
