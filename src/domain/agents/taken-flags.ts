// Flags of agent programs that the runner itself sets for every run. If a user set one again, the later one
// would silently win. A table by executor, without knowledge of how a client is started. Pure.

interface TakenFlag {
  /** All spellings of the flag. */
  readonly flags: readonly string[];
  /** The flag is reserved only with a value that matches; if absent, with any value or none. */
  readonly value?: RegExp;
  /** What to use instead. */
  readonly instead: string;
}

/** An argument that the user may not set. */
export interface TakenArgument {
  /** Its index among the arguments, from 0. */
  readonly index: number;
  /** The flag as it is written, without its value. */
  readonly flag: string;
  /** What to use instead. */
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

/** Executors whose arguments are checked against the table. */
export const EXECUTORS_WITH_TAKEN_FLAGS: readonly string[] = Object.keys(TAKEN);

/**
 * The user's arguments that are reserved for the runner. Empty for executors without a program of their own.
 *
 * @param args - As the program would get them. Arguments after `--` are no flags.
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

/** True for the flag alone, for `flag=value`, and for a short flag with its value attached. */
function isFlag(arg: string, flag: string): boolean {
  if (arg === flag || arg.startsWith(`${flag}=`)) return true;
  return !flag.startsWith('--') && arg.startsWith(flag);
}
