// `countersign schema diff`: compares two schemas in both directions.
import { ok, fail, type Result } from '../../../domain/errors.js';
import type { JsonValue } from '../../../domain/json/json.js';
import type { Containment } from '../../../ports/schema-engine.js';
import type { Countersign } from '../../../ports/service.js';
import { clientCommand } from '../../client-command.js';
import type { CommandSpec } from '../../command.js';
import { looksLikeDocument, readDocument } from '../../files/document.js';
import { EXIT } from '../../text/exit-codes.js';
import { choiceFlag, integerFlag } from '../../flag.js';
import type { CliIo } from '../../io/io.js';
import { UsageError } from '../../usage-error.js';
import type { ComparedSchemas, WiredCommands } from '../../wiring.js';

export function schemaDiff({ compareSchemas }: WiredCommands): CommandSpec {
  return clientCommand({
    usage: 'diff <name-or-file> [file]',
    summary: 'compare two versions of a schema, or two files',
    flags: {
      from: integerFlag('--from <version>', 'older version of the name', { min: 1 }),
      to: integerFlag('--to <version>', 'newer version of the name (default: the newest)', { min: 1 }),
      require: choiceFlag('--require <mode>', 'end with 5 where this is not kept', [
        'backward',
        'forward',
        'full',
      ]),
    },
    examples: [
      'countersign schema diff plan --from 1 --to 2',
      'countersign schema diff ./old.json ./new.json --require backward',
    ],
    notes:
      'backward: the second accepts all that the first accepts. forward: the first accepts all that the second accepts.\nA verdict is compatible, incompatible or unknown; for --require, unknown is not kept.',
    run: async ({ flags, arg, optionalArg, client, out, io }) => {
      const found = await schemasOf(client, io, arg(0), optionalArg(1), flags);
      if (!found.ok) return out.refuse(found.failure);
      const compared = await compareSchemas(found.value.from, found.value.to);
      const code = out.show(compared, ({ backward, forward }) =>
        out.free(side('backward', backward) + side('forward', forward)),
      );
      return compared.ok && !isKept(compared.value, flags.require) ? EXIT.conflict : code;
    },
  });
}

interface Pair {
  readonly from: JsonValue;
  readonly to: JsonValue;
}

/** @throws UsageError If the arguments name neither two files nor a version to compare from. */
async function schemasOf(
  client: Countersign,
  io: CliIo,
  first: string,
  second: string | undefined,
  { from, to }: { readonly from: number | undefined; readonly to: number | undefined },
): Promise<Result<Pair>> {
  if (second !== undefined) {
    if (from !== undefined || to !== undefined) {
      throw new UsageError('--from and --to name versions; with two files there are none');
    }
    return ok({ from: await readDocument(first, io), to: await readDocument(second, io) });
  }
  if (from === undefined) {
    throw new UsageError(
      (await looksLikeDocument(first))
        ? 'Give a second file to compare with'
        : '--from <version> is required, or give two files',
    );
  }
  const older = await client.schemas.get(first, from);
  if (!older.ok) return older;
  const newer = await client.schemas.get(first, to);
  if (!newer.ok) return newer;
  if (older.value.version === newer.value.version) {
    return fail('invalid_request', `Both are version ${older.value.version}; name two versions.`);
  }
  return ok({ from: older.value.json_schema, to: newer.value.json_schema });
}

function side(name: string, { verdict, differences }: Containment): string {
  const lines = differences.map(({ pointer, message }) => `  ${locationText(pointer)}: ${message}\n`);
  return `${name}: ${verdict}\n${lines.join('')}`;
}

function isKept(
  { backward, forward }: ComparedSchemas,
  mode: 'backward' | 'forward' | 'full' | undefined,
): boolean {
  const isCompatible = {
    backward: backward.verdict === 'compatible',
    forward: forward.verdict === 'compatible',
  };
  if (mode === undefined) return true;
  return mode === 'full' ? isCompatible.backward && isCompatible.forward : isCompatible[mode];
}

export function locationText(pointer: string): string {
  return pointer === '' ? '(the top)' : pointer;
}
