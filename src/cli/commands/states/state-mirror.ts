// `countersign state mirror`: keeps the documents of states as files, for people and tools that read files.
import { ok, type Result } from '../../../domain/errors.js';
import type { Countersign } from '../../../ports/service.js';
import { clientCommand, type ClientInput } from '../../client-command.js';
import type { CommandInput } from '../../command.js';
import { listFlag, required, switchFlag, textFlag } from '../../flag.js';
import { GitError, GitRepository } from '../../mirror/git.js';
import { GitHistory, type GitHistoryParts } from '../../mirror/git-history.js';
import { MirrorWriter, type MirrorParts } from '../../mirror/mirror-writer.js';
import { VersionReader } from '../../mirror/version-reader.js';
import type { CliIo } from '../../io/io.js';
import { Mirror } from '../../mirror/mirror.js';
import { MirrorFolder } from '../../mirror/mirror-folder.js';
import { MirrorReports } from '../../mirror/reports.js';
import { MirrorSource, scopeOfState, scopeOfTree, type MirrorScope } from '../../mirror/source.js';
import { laterThan, untilStopped } from '../../io/stop-signal.js';
import { EXIT } from '../../text/exit-codes.js';
import { UsageError } from '../../usage-error.js';
import { OF_RUN, stateOf } from './state-target.js';

/** After the command was asked to end, requests have this time; the next start makes up for what they were for. */
const LAST_REQUESTS_MS = 4_000;

export const mirrorCommand = clientCommand({
  usage: 'mirror [state]',
  summary: 'keep the documents of states as files in a folder, until it is stopped',
  flags: {
    dir: required(textFlag('--dir <folder>', 'folder of the files')),
    rootSession: textFlag('--root-session <session>', 'the states of this tree, id or name of its root'),
    all: switchFlag('--all', 'all states that the caller may see'),
    git: switchFlag('--git', 'commit each version in a git repository of the folder'),
    tags: listFlag('--tag <tag...>', 'written into each meta file'),
  },
  examples: [
    'countersign state mirror wfstate_1 --dir ./mirror',
    'countersign state mirror --all --dir ./mirror --git',
  ],
  notes: `The files are for reading: edits are overwritten. SIGINT and SIGTERM end it. ${OF_RUN}`,
  run: async (input) => {
    const { flags, out, io, clientUntil } = input;
    const asked = await targetOf(input, flags);
    const folder = await openFolder(flags.dir);
    return untilStopped(async (stop) => {
      const client = clientUntil(laterThan(stop, LAST_REQUESTS_MS));
      const reports = new MirrorReports(io, out);
      const reader = new VersionReader(client, flags.tags);
      const history = flags.git ? await historyIn(folder, { reader, reports }, io) : null;
      const scope = await scopeOf(client, asked);
      const removed = await removeGone(client, statesBefore(asked, scope, folder), {
        folder,
        reports,
        history,
      });
      if (!scope.ok) {
        if (removed) await history?.run(AbortSignal.abort());
        return out.refuse(scope.failure);
      }
      const source = new MirrorSource(client, scope.value);
      const mirror = new Mirror({ source, folder, reports, tags: flags.tags, history });
      const ended = await mirror.run(stop);
      return ended.ok ? EXIT.ok : out.refuse(ended.failure);
    });
  },
});

type MirrorTarget = { readonly stateId: string } | { readonly rootSession: string } | { readonly all: true };

/** @throws UsageError If more than one is named, or none at all. */
async function targetOf(
  input: CommandInput & ClientInput,
  { rootSession, all }: { readonly rootSession: string | undefined; readonly all: boolean },
): Promise<MirrorTarget> {
  const named = [input.optionalArg(0) !== undefined, rootSession !== undefined, all];
  if (named.filter(Boolean).length > 1) {
    throw new UsageError('A state, --root-session and --all never go together: give one');
  }
  if (all) return { all };
  return rootSession === undefined ? { stateId: await stateOf(input) } : { rootSession };
}

async function scopeOf(client: Countersign, asked: MirrorTarget): Promise<Result<MirrorScope>> {
  if ('stateId' in asked) return scopeOfState(client, asked.stateId);
  return 'rootSession' in asked ? scopeOfTree(client, asked.rootSession) : ok({ of: 'all' });
}

/**
 * The states that may have been deleted while nothing mirrored them, and that the mirror does not come across. A name
 * no longer leads to its deleted tree, and may have been given to another session since.
 */
function statesBefore(
  asked: MirrorTarget,
  scope: Result<MirrorScope>,
  folder: MirrorFolder,
): readonly string[] {
  if ('stateId' in asked) return scope.ok ? [] : [asked.stateId];
  if (!('rootSession' in asked)) return [];
  const present = scope.ok && scope.value.of === 'tree' ? scope.value.rootSessionId : null;
  return folder
    .treesNamed(asked.rootSession)
    .filter(({ rootSessionId }) => rootSessionId !== present)
    .map(({ stateId }) => stateId);
}

/** Removes the files of those states that are certainly gone. @returns True if there was such a state. */
async function removeGone(
  client: Countersign,
  stateIds: readonly string[],
  { folder, reports, history }: Pick<MirrorParts, 'folder' | 'reports' | 'history'>,
): Promise<boolean> {
  const source = new MirrorSource(client, { of: 'all' });
  const writer = new MirrorWriter({ source, folder, reports, history, tags: [] });
  let found = false;
  for (const stateId of stateIds) {
    if (!(await source.isGone(stateId))) continue;
    await writer.remove(stateId);
    found = true;
  }
  return found;
}

/** @throws UsageError If git is missing, or cannot be used in the folder. */
async function historyIn(
  folder: MirrorFolder,
  parts: Omit<GitHistoryParts, 'repository'>,
  io: CliIo,
): Promise<GitHistory> {
  try {
    const repository = await GitRepository.open(folder.path, io);
    const history = new GitHistory({ ...parts, repository });
    for (const [name, meta] of await history.committedMetas()) folder.adopt(name, meta);
    return history;
  } catch (error) {
    if (error instanceof GitError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** @throws UsageError If the folder cannot be used. */
async function openFolder(dir: string): Promise<MirrorFolder> {
  try {
    return await MirrorFolder.open(dir);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new UsageError(`The folder ${dir} cannot be used (${code})`, { cause: error });
  }
}
