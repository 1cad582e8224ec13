// `countersign state set|patch`: writes documents. A session's write is merged on what it last read, so that no
// write of others is lost.
import type { BaseVersion } from '../../../ports/api/index.js';
import type { WriteOptions } from '../../../ports/service.js';
import { clientCommand, serviceFlags } from '../../client-command.js';
import { readDocument } from '../../files/document.js';
import { choiceFlag, integerFlag, switchFlag, textFlag, type Values } from '../../flag.js';
import type { CliIo } from '../../io/io.js';
import { UsageError } from '../../usage-error.js';
import { OF_RUN, stateAndDocument } from './state-target.js';
import { written } from './state-written.js';

export const writeFlags = {
  expectedVersion: integerFlag('--expected-version <n>', 'refuse the write where the state has another', {
    min: 1,
  }),
  dryRun: switchFlag('--dry-run', 'only say what would be'),
};

export const baseFlags = {
  base: textFlag(
    '--base <version>',
    'version that the document or patch was made on: a number, last_read, or none (default: last_read for a session)',
  ),
  onConflict: choiceFlag(
    '--on-conflict <how>',
    'what becomes of a place that others changed since the base',
    ['merge', 'reject', 'overwrite'],
  ),
};

const flags = { ...writeFlags, ...baseFlags };

const MERGES = `A session writes on what it last read (state get): what others wrote meanwhile is kept. ${OF_RUN}`;

export const setCommand = clientCommand({
  usage: 'set [state-or-document] [document]',
  summary: 'replace the document of a workflow state',
  flags,
  examples: [
    'countersign state set wfstate_1 ./plan.json --expected-version 7',
    'countersign state set wfstate_1 ./plan.json --base 7',
    'countersign state set - < plan.json',
  ],
  notes: MERGES,
  run: async (input) => {
    const options = optionsOf(input.flags, input.read(serviceFlags).token, input.io);
    const { stateId, document } = await stateAndDocument(input);
    const data = await readDocument(document, input.io);
    const result = await input.client.states.replace(stateId, data, options);
    return written(input.out, result, input.flags.dryRun);
  },
});

export const patchCommand = clientCommand({
  usage: 'patch [state-or-patch] [patch]',
  summary: 'change a workflow state by a JSON Patch (RFC 6902)',
  flags: { merge: switchFlag('--merge', 'the patch is a merge patch (RFC 7396)'), ...flags },
  examples: [
    `countersign state patch '[{"op": "replace", "path": "/tasks/0/status", "value": "done"}]'`,
    `countersign state patch wfstate_1 --merge '{"phase": "review"}'`,
  ],
  notes: MERGES,
  run: async (input) => {
    const { merge } = input.flags;
    const options = optionsOf(input.flags, input.read(serviceFlags).token, input.io);
    const { stateId, document } = await stateAndDocument(input);
    const operations = await readDocument(document, input.io);
    const { states } = input.client;
    const send = (how: WriteOptions) =>
      merge ? states.mergePatch(stateId, operations, how) : states.patch(stateId, operations, how);
    const result = await send(options);
    // A patch names its locations itself, so a session that has read nothing may send one without a base.
    const unread = !result.ok && result.failure.error === 'base_unknown' && input.flags.base === undefined;
    const retried = unread
      ? await send({ ...options, baseVersion: undefined, onConflict: undefined })
      : result;
    return written(input.out, retried, input.flags.dryRun);
  },
});

function optionsOf(
  { base, onConflict, expectedVersion, dryRun }: Values<typeof flags>,
  token: string | undefined,
  io: CliIo,
): WriteOptions {
  const onLastRead = expectedVersion === undefined && isSession(token, io);
  return { expectedVersion, dryRun, ...baseOptions({ base, onConflict }, onLastRead) };
}

/**
 * The base of a write, from its flags.
 *
 * @param onLastRead - Without a flag: whether the write is based on what its session last read.
 */
export function baseOptions(
  { base, onConflict }: Values<typeof baseFlags>,
  onLastRead: boolean,
): Pick<WriteOptions, 'baseVersion' | 'onConflict'> {
  const baseVersion = base === undefined ? (onLastRead ? 'last_read' : undefined) : baseOf(base);
  if (onConflict !== undefined && baseVersion === undefined) {
    throw new UsageError('--on-conflict needs --base: the version that the write was made on');
  }
  return { baseVersion, onConflict };
}

/** @throws UsageError If the text is none of these forms. */
function baseOf(text: string): BaseVersion | undefined {
  if (text === 'none') return undefined;
  if (text === 'last_read') return text;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`--base needs a version, last_read or none, not '${text}'`);
}

/**
 * A token identifies the caller, whatever the environment says. Only tokens of sessions are signed, and those
 * contain dots.
 */
export function isSession(token: string | undefined, { env }: CliIo): boolean {
  if (token !== undefined) return token.includes('.');
  return [env['AGENT_SESSION_ID'], env['AGENT_SESSION_NAME']].some((one) => one !== undefined && one !== '');
}
