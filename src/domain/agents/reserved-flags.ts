// Flags of agent programs that the runner itself sets for every run. If a user sets one again, the later one
// silently wins. The rule only; each client has its own table in agent-clients. Pure.

/** A flag that the runner sets. */
export interface ReservedFlag {
  /** All spellings of the flag. */
  readonly flags: readonly string[];
  /** The flag is reserved only with a value that matches; if absent, with any value or none. */
  readonly value?: RegExp;
  /** What to use instead. */
  readonly instead: string;
}

/** An argument that the user may not set. */
export interface ReservedArgument {
  /** Its index among the arguments, from 0. */
  readonly index: number;
  /** The flag as it is written, without its value. */
  readonly flag: string;
  /** What to use instead. */
  readonly instead: string;
}

/**
 * The user's arguments that are reserved for the runner.
 *
 * @param table - The flags of the program.
 * @param args - As the program would get them. Arguments after `--` are no flags.
 */
export function reservedArguments(
  table: readonly ReservedFlag[],
  args: readonly string[],
): readonly ReservedArgument[] {
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
