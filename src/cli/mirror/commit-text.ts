// A version as a commit: message, author, and the commands for `git fast-import`. Pure.
import { formatPointer } from '../../domain/json/pointer.js';
import type { EventView } from '../../ports/api/index.js';
import { harmless } from '../text/terminal-text.js';

const SUBJECT_CHARACTERS_MAX = 72;
const PLACE_CHARACTERS_MAX = 200;
const CHANGES_MAX = 50;
const NAME_CHARACTERS_MAX = 200;

/** Reserved by RFC 2606: no mail ever goes there. */
const MAIL_DOMAIN = 'countersign.invalid';

export interface CommitAuthor {
  readonly name: string;
  /** Id of the session; `operator` without one. */
  readonly id: string;
}

export const MIRROR_AUTHOR: CommitAuthor = { name: 'countersign mirror', id: 'mirror' };

/** One commit: the files of a tree after it; `null` for files that it removes. */
export interface MirrorCommit {
  /** Name of the folder, below that of the mirror. */
  readonly folder: string;
  readonly author: CommitAuthor;
  /** When the version was written, milliseconds since 1970. */
  readonly at: number;
  readonly message: string;
  readonly files: readonly { readonly name: string; readonly text: string | null }[];
}

/** The facts of a version that are in its message. */
interface CommittedVersion {
  readonly stateId: string;
  readonly rootName: string;
  readonly event: Pick<EventView, 'version' | 'kind' | 'patch' | 'session_id' | 'run_id'>;
  readonly author: CommitAuthor;
  /** Versions directly before it that are no longer kept; `null` for none. */
  readonly missing: readonly [first: number, last: number] | null;
}

/** Which tree, which version, and what changed; the details below. */
export function commitMessage({ stateId, rootName, event, author, missing }: CommittedVersion): string {
  const changes = event.patch.map(({ op, path }) => `${op} ${locationText(path)}`);
  const shown = changes.slice(0, CHANGES_MAX);
  if (changes.length > shown.length) shown.push(`and ${String(changes.length - shown.length)} more changes`);
  const what = event.kind === 'create' ? 'create' : changes.length === 0 ? event.kind : changes.join(', ');
  const subject = truncate(
    `${lineText(rootName)} version ${String(event.version)}: ${what}`,
    SUBJECT_CHARACTERS_MAX,
  );
  const facts = [
    `State: ${lineText(stateId)}`,
    `Version: ${String(event.version)}`,
    `Kind: ${event.kind}`,
    `Session: ${event.session_id === null ? '-' : `${lineText(author.name)} (${lineText(event.session_id)})`}`,
    ...(event.run_id === null ? [] : [`Run: ${lineText(event.run_id)}`]),
  ];
  const gap =
    missing === null ? [] : [`Versions ${String(missing[0])} to ${String(missing[1])} are no longer kept.\n`];
  return [subject, '', ...gap, ...(shown.length === 0 ? [] : [...shown, '']), ...facts, ''].join('\n');
}

export function removalMessage(stateId: string, folder: string): string {
  return `${truncate(`${lineText(folder)}: remove the deleted state`, SUBJECT_CHARACTERS_MAX)}\n\nState: ${lineText(stateId)}\n`;
}

/**
 * The input of `git fast-import` for some commits on a branch.
 *
 * @param branch - Its full name, such as `refs/heads/main`.
 * @param isNew - The branch has no commit yet.
 * @param now - Milliseconds since 1970.
 */
export function importText(
  branch: string,
  isNew: boolean,
  commits: readonly MirrorCommit[],
  now: number,
): string {
  const parts = ['feature done\n'];
  for (const [index, { author, at, message, folder, files }] of commits.entries()) {
    parts.push(`commit ${branch}\n`, `author ${personText(author)} ${timeText(at)}\n`);
    parts.push(`committer ${personText(MIRROR_AUTHOR)} ${timeText(now)}\n`, dataText(message));
    if (index === 0 && !isNew) parts.push(`from ${branch}^0\n`);
    for (const { name, text } of files) {
      const file = quotedPath(`${folder}/${name}`);
      parts.push(text === null ? `D ${file}\n` : `M 100644 inline ${file}\n${dataText(text)}`);
    }
  }
  parts.push('done\n');
  return parts.join('');
}

function dataText(text: string): string {
  return `data ${String(Buffer.byteLength(text))}\n${text}\n`;
}

function timeText(ms: number): string {
  return `${String(Math.floor(ms / 1000))} +0000`;
}

function personText({ name, id }: CommitAuthor): string {
  const plain = truncate(lineText(name).replace(/[<>]/g, '_').trim(), NAME_CHARACTERS_MAX);
  return `${plain === '' ? 'unknown' : plain} <${id.replace(/[^A-Za-z0-9._-]/g, '_')}@${MAIL_DOMAIN}>`;
}

function quotedPath(path: string): string {
  return `"${path.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

/** A location in the document; the whole of it has the empty pointer. */
function locationText(pointer: string): string {
  return pointer === formatPointer([]) ? '(the document)' : truncate(lineText(pointer), PLACE_CHARACTERS_MAX);
}

/** Text from agents, on one line: it must not look like another line of the message. */
function lineText(text: string): string {
  return harmless(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

function truncate(text: string, charactersMax: number): string {
  const characters = Array.from(text);
  return characters.length <= charactersMax ? text : `${characters.slice(0, charactersMax - 1).join('')}…`;
}
