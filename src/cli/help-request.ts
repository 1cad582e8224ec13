// Requests for help with an unknown command, an unknown option or too many arguments. Commander would show some
// help and succeed.
import type { Command } from 'commander';

/**
 * Makes an invalid request for help an error. `help GROUP COMMAND` asks for the help of the command; Commander would
 * show that of the group.
 *
 * @param probe - Creates another program that writes nothing: parsing changes it.
 * @returns The arguments. For an invalid request they lack the help request, so that the program reports the error.
 */
export function withoutInvalidHelp(probe: () => Command, argv: readonly string[]): readonly string[] {
  if (!argv.some((word) => isHelp(word) || word === 'help')) return argv;
  const named: string[] = [];
  let command = probe();
  let rest = argv;
  let [asked, byWord] = [false, false];
  for (;;) {
    const parsed = parsedBy(command, rest);
    if (parsed === null) return argv;
    asked ||= parsed.asked;
    const { words } = parsed;
    const [first] = words;
    if (command.commands.length === 0) {
      const isWrong = parsed.isUnknown || words.length > argumentsMax(command);
      if (asked && isWrong) return [...named, ...words];
      return byWord ? [...named, '--help'] : argv;
    }
    if (first === undefined) return argv;
    rest = words.slice(1);
    if (first === 'help') {
      asked = byWord = true;
      continue;
    }
    const next = command.commands.find((one) => one.name() === first || one.aliases().includes(first));
    if (next === undefined) return asked || rest.some(isHelp) ? [...named, ...words.filter(isNoHelp)] : argv;
    named.push(first);
    command = next;
  }
}

interface Parsed {
  /** The arguments without the options that the command knows, and for a single command without help. */
  readonly words: readonly string[];
  readonly asked: boolean;
  /** True if an option is unknown. */
  readonly isUnknown: boolean;
}

/** @returns `null` if the program ends here by itself: with its version, or an error. */
function parsedBy(command: Command, argv: readonly string[]): Parsed | null {
  const isGroup = command.commands.length > 0;
  // A group has no options of its own. What stands before the name of its command is for the group.
  const end = isGroup ? argv.findIndex((word) => !isHelp(word)) : 0;
  const before = argv.slice(0, end < 0 ? argv.length : end);
  try {
    const { operands, unknown } = command.parseOptions(argv.slice(before.length));
    const literal = unknown.indexOf('--');
    const options = unknown.slice(0, literal < 0 ? unknown.length : literal).filter(isOption);
    const words = [...operands, ...unknown];
    return {
      words: isGroup ? words : words.filter(isNoHelp),
      asked: before.length > 0 || (!isGroup && options.some(isHelp)),
      isUnknown: options.some(isNoHelp),
    };
  } catch {
    return null;
  }
}

function argumentsMax({ registeredArguments: known }: Command): number {
  return known.some((one) => one.variadic) ? Infinity : known.length;
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}

function isNoHelp(word: string): boolean {
  return !isHelp(word);
}

function isOption(word: string): boolean {
  return word.length > 1 && word.startsWith('-');
}
