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

/** What a shell does with the result, and nothing else: errors are hidden, or a failure becomes an exit code. */
const RESULT = /(?:[ \t]+2>>?[ \t]*\/dev\/null)?(?:[ \t]*\|\|[ \t]*(?:true|:|exit \d+))?$/;

/**
 * True if a command does nothing but call one of our hooks, in any form: by a path, with Node.js, npx or another
 * launcher, with other flags or variables. A user may have written it. With other operators of a shell, or behind
 * another program, it is a command of its own.
 */
export function callsHook(command: unknown): boolean {
  if (typeof command !== 'string') return false;
  const words = wordsOf(command.trim().replace(RESULT, ''));
  const [group, hook = ''] = withoutUrl(argumentsOf(withoutVariables(words ?? [])));
  return group === 'hook' && isHook(hook);
}

/** The words behind variables that the command sets, also by `env`. */
function withoutVariables(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !/^\w+=/.test(word));
  const [first = '', ...rest] = at < 0 ? [] : words.slice(at);
  return /(?:^|\/)env$/.test(first) ? withoutVariables(rest) : [first, ...rest];
}

/** The command itself, under whatever path. */
const PROGRAM = /(?:^|[/\\])countersign(?:\.(?:js|cmd|exe|ps1))?$/;
/** The script that it runs, in a checkout or in the package. */
const SCRIPT = /(?:^|[/\\])(?:dist[/\\]main|countersign(?:[/\\](?!\.\.)[^/\\]+)*)[/\\]bin\.js$/;
/** The package, as a launcher takes it. */
const PACKAGE = /^countersign(?:@[^/\\:]+)?$/;

/** Launchers of packages, and the commands with which they run one. With '' the launcher needs no command. */
const LAUNCHERS = new Map<string, readonly string[]>([
  ['npx', ['']],
  ['pnpx', ['']],
  ['bunx', ['']],
  ['npm', ['exec', 'x']],
  ['pnpm', ['exec', 'dlx', '']],
  ['yarn', ['exec', 'dlx', 'run', '']],
  ['bun', ['x']],
]);

/** Flags with which Node.js runs something else, or more, or nothing. */
const NODE_OTHER =
  'eval|print|check|require|import|loader|experimental-loader|test|run|interactive|help|version';
const NODE_FLAG = new RegExp(`^--(?!(?:${NODE_OTHER})(?:=|$))[a-z]`);

/** Flags of launchers that change how they find the program, not what runs. */
const LAUNCHER_FLAG =
  /^(?:--|-[yqs]|--(?:yes|no|no-install|quiet|silent|offline|prefer-offline|prefer-online|bun)|--(?:registry|loglevel|prefix|cache|userconfig)=.+)$/;

/** The arguments of our program; none if the command runs another. */
function argumentsOf(words: readonly string[]): readonly string[] {
  const [first = '', ...rest] = words;
  if (PROGRAM.test(first) || SCRIPT.test(first)) return rest;
  const launcher = /(?:^|[/\\])([a-z]+)(?:\.(?:cmd|exe))?$/.exec(first)?.[1] ?? '';
  if (launcher === 'node') {
    const at = rest.findIndex((word) => !NODE_FLAG.test(word));
    const script = rest[at] ?? '';
    return PROGRAM.test(script) || SCRIPT.test(script) ? rest.slice(at + 1) : [];
  }
  const commands = LAUNCHERS.get(launcher) ?? [];
  const called = withoutLauncherFlags(rest);
  const hasCommand = commands.includes(called[0] ?? '');
  if (!hasCommand && !commands.includes('')) return [];
  const [program = '', ...args] = hasCommand ? withoutLauncherFlags(called.slice(1)) : called;
  return PROGRAM.test(program) || PACKAGE.test(program) ? args : [];
}

function withoutLauncherFlags(words: readonly string[]): readonly string[] {
  const [first = '', second = ''] = words;
  const takesPackage = /^(?:-p|--package)$/.test(first);
  if (takesPackage) return PACKAGE.test(second) ? withoutLauncherFlags(words.slice(2)) : [];
  const [, named] = /^--package=(.*)$/.exec(first) ?? [];
  const isFlag = named === undefined ? LAUNCHER_FLAG.test(first) : PACKAGE.test(named);
  return isFlag ? withoutLauncherFlags(words.slice(1)) : words;
}

/** The arguments behind a URL in front of `hook`, and behind the `--` with which `npm exec` ends its own. */
function withoutUrl(args: readonly string[]): readonly string[] {
  const [first = ''] = args;
  if (first === '--url') return withoutUrl(args.slice(2));
  return first === '--' || first.startsWith('--url=') ? withoutUrl(args.slice(1)) : args;
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
