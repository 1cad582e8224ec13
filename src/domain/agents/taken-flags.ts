// Flags of the agents' programs that the runner itself sets for every run. Said once more by a user, the later one would
// win without a word. A table by executor; knows nothing of how a client is called. Pure.

interface TakenFlag {
  /** The ways to write it. */
  readonly flags: readonly string[];
  /** Only with a value that begins so; with any, or none, where absent. */
  readonly value?: RegExp;
  /** What to do in its place. */
  readonly instead: string;
}

/** A flag that is not the user's to set. */
export interface TakenArgument {
  /** Where it stands among the arguments, from 0. */
  readonly index: number;
  /** As it was written, without its value. */
  readonly flag: string;
  /** What to do in its place. */
  readonly instead: string;
}

const CONVERSATION =
  'nothing: the runner begins the conversation of a session, and goes on with it (countersign session start, resume)';
const OUTPUT = 'nothing: the runner reads the stream of the program';
const SCHEMA = 'the contract of the child (--contract of countersign session start)';
const SERVERS = 'mcp_servers of a named agent (docs/blueprints.md)';

const TAKEN: Readonly<Record<string, readonly TakenFlag[]>> = {
  'claude-code': [
    {
      flags: ['--settings'],
      instead:
        "--allowedTools, --disallowedTools or --permission-mode, or the settings of the user's home or the project (.claude/settings.json), which count as well",
    },
    { flags: ['--mcp-config', '--strict-mcp-config'], instead: SERVERS },
    { flags: ['--session-id', '--resume', '-r', '--continue', '-c'], instead: CONVERSATION },
    { flags: ['--output-format'], instead: OUTPUT },
    { flags: ['--json-schema'], instead: SCHEMA },
  ],
  codex: [
    {
      flags: ['--config', '-c'],
      value: /^\s*"?mcp_servers"?\s*(=|\.\s*"?countersign(_\w*)?"?\s*[.=])/,
      instead: SERVERS,
    },
    { flags: ['--output-schema'], instead: SCHEMA },
    { flags: ['--json'], instead: OUTPUT },
  ],
  gemini: [
    { flags: ['--session-id', '--resume', '-r'], instead: CONVERSATION },
    { flags: ['--output-format', '-o'], instead: OUTPUT },
    { flags: ['--allowed-mcp-server-names'], instead: SERVERS },
  ],
  opencode: [
    { flags: ['--session', '-s', '--continue', '-c'], instead: CONVERSATION },
    { flags: ['--format'], instead: OUTPUT },
    { flags: ['--log-level'], instead: 'nothing: the runner reads from the log whether a server connected' },
  ],
};

/** Executors whose arguments are held against the table. */
export const EXECUTORS_WITH_TAKEN_FLAGS: readonly string[] = Object.keys(TAKEN);

/**
 * The arguments of a user that are the runner's own. None for executors that have no program of their own.
 *
 * @param args - As the program would get them; what follows `--` is no flag.
 */
export function takenArguments(executor: string, args: readonly string[]): readonly TakenArgument[] {
  const table = Object.hasOwn(TAKEN, executor) ? (TAKEN[executor] ?? []) : [];
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).flatMap((arg, index) => {
    for (const { flags, value, instead } of table) {
      const flag = flags.find((one) => isFlag(arg, one));
      if (flag === undefined) continue;
      const given = arg === flag ? (args[index + 1] ?? '') : arg.slice(flag.length).replace(/^=/, '');
      if (value === undefined || value.test(given)) return [{ index, flag, instead }];
    }
    return [];
  });
}

/** Alone, or with its value: after `=`, and after a short flag as it is. */
function isFlag(arg: string, flag: string): boolean {
  if (arg === flag || arg.startsWith(`${flag}=`)) return true;
  return !flag.startsWith('--') && arg.startsWith(flag);
}
