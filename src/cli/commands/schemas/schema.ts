// `countersign schema …`: registers, lists and shows workflow schemas.
import type { Result } from '../../../domain/errors.js';
import { COMPATIBILITY_MODES } from '../../../domain/schemas/compatibility.js';
import type { SchemaDryRun, SchemaView } from '../../../ports/api/index.js';
import { clientCommand } from '../../client-command.js';
import type { CommandSpec } from '../../command.js';
import { readDocument } from '../../files/document.js';
import { EXIT } from '../../text/exit-codes.js';
import { choiceFlag, integerFlag, required, switchFlag, textFlag } from '../../flag.js';
import type { Output } from '../../text/output.js';
import { record, time, type Style } from '../../text/table.js';
import type { WiredCommands } from '../../wiring.js';
import { given, pageFlags, pageText } from '../page.js';
import { locationText, schemaDiff } from './schema-diff.js';

const register = clientCommand({
  usage: 'register <file>',
  summary: 'register a JSON Schema from a file, or - for standard input',
  flags: {
    name: required(textFlag('--name <name>', 'name of the workflow schema')),
    description: textFlag('--description <text>', 'what it is for'),
    compatibility: choiceFlag(
      '--compatibility <mode>',
      'what the name promises from now on',
      COMPATIBILITY_MODES,
    ),
    dryRun: switchFlag('--dry-run', 'only say what would be, and which live states it would refuse'),
  },
  examples: [
    'countersign schema register ./plan.schema.json --name plan',
    'countersign schema register ./plan.schema.json --name plan --compatibility backward --dry-run',
  ],
  notes:
    'Content that is registered already keeps its version. With --dry-run the exit code is 5 where the compatibility\nwould not be kept.',
  run: async ({ flags: { name, dryRun, ...more }, arg, client, out, io }) => {
    const json_schema = await readDocument(arg(0), io);
    const body = { name, json_schema, ...given(more) };
    if (dryRun) return showDryRun(out, await client.schemas.tryRegister(body));
    const result = await client.schemas.register(body);
    if (!result.ok) return out.refuse(result.failure);
    const { schema, created } = result.value;
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

const validate = clientCommand({
  usage: 'validate <name> <file>',
  summary: 'say whether a state could begin with a document, and why not',
  flags: { version: integerFlag('--version <n>', 'which version (default: the newest)', { min: 1 }) },
  examples: ['countersign schema validate plan ./plan.json', "countersign schema validate plan '{}'"],
  notes: 'The exit code is 6 where the document is not valid.',
  run: async ({ flags: { version }, arg, client, out, io }) => {
    const name = arg(0);
    const result = await client.schemas.validate(name, await readDocument(arg(1), io), version);
    const code = out.show(result, ({ schema_version: number, valid, errors }) =>
      out.free(
        [
          `${valid ? 'valid' : 'not valid'} under version ${number} of ${name}\n`,
          ...errors.map(({ pointer, message }) => `  ${locationText(pointer)}: ${message}\n`),
        ].join(''),
      ),
    );
    return result.ok && !result.value.valid ? EXIT.documentRefused : code;
  },
});

function schemaText(schema: SchemaView, style: Style): string {
  return record(style, [
    ['schema', schema.name],
    ['version', schema.version],
    ['id', schema.schema_id],
    ['registered', time(schema.created_at)],
    ['compatibility', schema.compatibility],
    ['description', schema.description ?? undefined],
  ]);
}

function showDryRun(out: Output, result: Result<SchemaDryRun>): number {
  const code = out.show(result, ({ would_create_version: version, compatibility, live_states: live }) => {
    const head = record(out.style, [
      ['would create', version === null ? 'nothing: it is registered' : `version ${version}`],
      ['compatibility', `${compatibility.mode}: ${compatibility.verdict}`],
      [
        'live states',
        `${live.failing_count} of ${live.checked}${live.all ? '' : ' looked at'} would be refused`,
      ],
    ]);
    const differences = compatibility.differences.map(
      (one) => `${one.direction} ${one.version}  ${locationText(one.pointer)}: ${one.message}\n`,
    );
    const failing = live.failing.map(
      (one) =>
        `${one.state_id}  version ${one.version}  ${locationText(one.errors[0]?.pointer ?? '')}: ${one.errors[0]?.message ?? ''}\n`,
    );
    return head + out.free([...differences, ...failing].join(''));
  });
  return result.ok && result.value.compatibility.verdict !== 'compatible' ? EXIT.conflict : code;
}

export function schemaCommands(wired: WiredCommands): readonly CommandSpec[] {
  return [register, list, show, validate, schemaDiff(wired)];
}
