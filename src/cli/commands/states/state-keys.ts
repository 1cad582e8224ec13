// `countersign state keys`: reads and writes single top-level members of the state of a session's tree.
import { clientCommand, serviceFlags, type ClientInput } from '../../client-command.js';
import type { CommandInput } from '../../command.js';
import { readDocument } from '../../files/document.js';
import { integerFlag, switchFlag, textFlag } from '../../flag.js';
import type { Result } from '../../../domain/errors.js';
import type { KeyWritten } from '../../../ports/api/index.js';
import type { KeyReplaceOptions } from '../../../ports/key-service.js';
import type { Output } from '../../text/output.js';
import { time } from '../../text/table.js';
import { UsageError } from '../../usage-error.js';
import { pageText } from '../page.js';
import { baseFlags, baseOptions, isSession } from './state-write.js';
import { noteWarnings } from './state-written.js';

interface KeyRequest {
  readonly session: string;
  readonly key: string | undefined;
  readonly options: KeyReplaceOptions;
  /** True if a session that does not know the key writes it without a base. */
  readonly baseIsDefault: boolean;
}

type Argument = 'key' | 'value' | '--if-match' | '--create' | '--base' | '--on-conflict';

interface Verb {
  readonly takes: readonly Argument[];
  readonly run: (input: CommandInput & ClientInput, asked: KeyRequest) => Promise<number>;
}

const list: Verb = {
  takes: [],
  run: async ({ client, out }, { session }) =>
    out.show(await client.keys.all(session), ({ keys }) =>
      pageText(
        out,
        { items: Object.entries(keys), next_cursor: null },
        ['key', 'version', 'updated', 'by', 'value'],
        ([key, one]) => [
          key,
          one.version,
          time(one.updated_at),
          one.updated_by ?? 'operator',
          JSON.stringify(one.value),
        ],
      ),
    ),
};

const get: Verb = {
  takes: ['key'],
  run: async ({ client, out }, { session, key }) =>
    out.show(await client.keys.get(session, requiredKey(key)), ({ value }) => out.document(value)),
};

const set: Verb = {
  takes: ['key', 'value', '--if-match', '--create', '--base', '--on-conflict'],
  run: async ({ client, out, optionalArg, io }, { session, key, ...terms }) => {
    const document = optionalArg(2);
    if (document === undefined)
      throw new UsageError('No value is given: a file, - for standard input, or JSON');
    const value = await readDocument(document, io);
    const name = requiredKey(key);
    return out.show(
      await onBase(terms, (options) => client.keys.set(session, name, value, options)),
      writtenLine(out),
    );
  },
};

const remove: Verb = {
  takes: ['key', '--if-match', '--base', '--on-conflict'],
  run: async ({ client, out }, { session, key, ...terms }) => {
    const name = requiredKey(key);
    return out.show(
      await onBase(terms, (options) => client.keys.remove(session, name, options)),
      writtenLine(out),
    );
  },
};

/** Writes a key; a session that has not read it, and names no base, writes it as it is now. */
async function onBase(
  { options, baseIsDefault }: Pick<KeyRequest, 'options' | 'baseIsDefault'>,
  write: (options: KeyReplaceOptions) => Promise<Result<KeyWritten>>,
): Promise<Result<KeyWritten>> {
  const result = await write(options);
  const unread = !result.ok && ['base_unknown', 'patch_failed'].includes(result.failure.error);
  if (!unread || !baseIsDefault) return result;
  return write({ ...options, baseVersion: undefined, onConflict: undefined });
}

const VERBS: Readonly<Record<string, Verb>> = { list, get, set, delete: remove };

export const keysCommand = clientCommand({
  usage: 'keys [verb] [key] [value]',
  summary: 'read and write single keys of the state that a session shares: list, get, set, delete',
  flags: {
    session: textFlag('--session <session>', 'id or name; any of the tree', { env: 'AGENT_SESSION_NAME' }),
    ifMatch: integerFlag('--if-match <version>', 'set, delete: refuse it where the key has another version', {
      min: 1,
    }),
    create: switchFlag('--create', 'set: only where the key is not there yet'),
    ...baseFlags,
  },
  examples: [
    'countersign state keys --session release',
    'countersign state keys get phase --session release',
    `countersign state keys set phase '"review"' --session release --if-match 3`,
  ],
  notes: [
    'Within a run, AGENT_SESSION_NAME names the session. A value is JSON, a file, or - for standard input.',
    'A session sets and deletes a key on what it last read of it: what others changed in it meanwhile is kept.',
  ].join('\n'),
  run: async (input) => {
    const { session, ifMatch, create, base, onConflict } = input.flags;
    if (session === undefined)
      throw new UsageError('No session is named: give --session, or set AGENT_SESSION_NAME');
    const name = input.optionalArg(0) ?? 'list';
    const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
    if (verb === undefined) throw new UsageError(`'${name}' is none of ${Object.keys(VERBS).join(', ')}`);
    const key = input.optionalArg(1);
    const given = {
      key,
      value: input.optionalArg(2),
      '--if-match': ifMatch,
      '--create': create || undefined,
      '--base': base,
      '--on-conflict': onConflict,
    };
    refuseOtherArguments(name, verb, given);
    if (ifMatch !== undefined && create) {
      throw new UsageError('--if-match and --create never both hold: a key that is not there has no version');
    }
    const onLastRead =
      ifMatch === undefined && !create && isSession(input.read(serviceFlags).token, input.io);
    const options = { ifMatch, ifAbsent: create, ...baseOptions({ base, onConflict }, onLastRead) };
    return verb.run(input, { session, key, options, baseIsDefault: base === undefined });
  },
});

/** @throws UsageError If an argument is given that the verb does not accept. */
function refuseOtherArguments(
  name: string,
  { takes }: Verb,
  given: Readonly<Record<Argument, unknown>>,
): void {
  for (const [argument, value] of Object.entries(given)) {
    if (value === undefined || takes.some((one) => one === argument)) continue;
    throw new UsageError(
      `keys ${name} takes ${takes.join(', ') || 'no arguments'}; ${argument} is not among them`,
    );
  }
}

function requiredKey(key: string | undefined): string {
  if (key === undefined) throw new UsageError('No key is named');
  return key;
}

function writtenLine(out: Output): (written: KeyWritten) => string {
  return (written) => {
    noteWarnings(out, written);
    const { key, version, changed, global_version, merged } = written;
    const where = version === undefined ? 'deleted' : `version ${String(version)}`;
    const how = !changed ? ', unchanged' : merged === true ? ', merged with what others wrote' : '';
    return `${key}  ${where}${how} (state at version ${String(global_version)})\n`;
  };
}
