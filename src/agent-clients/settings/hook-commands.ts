// The command lines of hooks: how they are written, and which of them are ours. Knows no client.
import type { Hook } from '../../domain/hooks/clients.js';

/** A command that a client runs: a hook, or one of the two beside the stop. */
export type HookCommand = Hook | 'wake' | 'awaited';

/** What may follow the client and the URL in a command that we write. */
const ENDINGS: Readonly<Record<HookCommand, RegExp>> = {
  'session-start': /^$/,
  stop: /^ --wait \d+s$/,
  wake: /^$/,
  awaited: /^$/,
  'subagent-stop': /^ --agents(?: [\w.:][\w.:-]*)+$/,
  'session-end': /^$/,
  // A client treats a command that cannot be run as permission, and exit code 2 as a denial.
  'pre-tool-use': /^ \|\| exit 2$/,
};

export const DENIES = ' || exit 2';

/** @param flags - The rest of the command, with a space in front. */
export function hookCommand(hook: HookCommand, client: string, url: string | undefined, flags = ''): string {
  const where = url === undefined ? '' : ` --url ${url}`;
  return `countersign hook ${hook} --client ${client}${where}${flags}`;
}

/** True if a command as a whole has the form that this version or an earlier one writes. Any other is a user's. */
export function isOurs(command: unknown): boolean {
  if (typeof command !== 'string') return false;
  const [, hook = '', ending = ''] =
    /^countersign hook ([a-z-]+) --client [a-z-]+(?: --url https?:\/\/[\w.:[\]/-]+)?( .*)?$/.exec(command) ??
    [];
  return isHook(hook) && ENDINGS[hook].test(ending);
}

/**
 * True if a command does nothing but call one of our hooks, in any form: by a path, with Node.js or npx, with other
 * flags or variables. A user may have written it. With operators of a shell, it is a command of its own.
 */
export function callsHook(command: unknown): boolean {
  if (typeof command !== 'string') return false;
  const words = wordsOf(command.trim().replace(/ *\|\| *exit 2$/, ''));
  const at = words?.indexOf('hook') ?? -1;
  if (words === null || at < 1 || !isHook(words[at + 1] ?? '')) return false;
  const called = words.slice(0, at);
  while (/^\w+=/.test(called[0] ?? '')) called.shift();
  const program = called.pop() ?? '';
  return /(?:^|[/\\])countersign(?:\.(?:js|cmd|exe|ps1))?$/.test(program) && startsProgram(called);
}

/** True if nothing, or only Node.js or npx, stands in front of the program. */
function startsProgram([runtime = 'node', ...flags]: readonly string[]): boolean {
  return (
    /(?:^|[/\\])(?:node|npx)(?:\.(?:cmd|exe))?$/.test(runtime) && flags.every((one) => one.startsWith('-'))
  );
}

function isHook(name: string): name is HookCommand {
  return Object.hasOwn(ENDINGS, name);
}

/** The words of a command, without quotation marks; `null` if a shell would do more than to split it. */
function wordsOf(command: string): readonly string[] | null {
  const word = /(?:[\w@%+=:,.~/\\[\]-]|\$\w+|\$\{\w+\}|'[^'\n]*'|"[^"`\n]*")+/y;
  const words: string[] = [];
  while (word.lastIndex < command.length) {
    const [found] = word.exec(command) ?? [];
    if (found === undefined || found.includes('$(')) return null;
    words.push(found.replaceAll(/["']/g, ''));
    const { length } = /^[ \t]*/.exec(command.slice(word.lastIndex))?.[0] ?? '';
    if (length === 0 && word.lastIndex < command.length) return null;
    word.lastIndex += length;
  }
  return words;
}
