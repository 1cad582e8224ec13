// The description of a command, and its translation for commander. Knows no single command.
import { Option, type Command } from 'commander';
import { readFlags, type Flags, type RawFlag, type Values } from './flag.js';
import type { CliIo } from './io/io.js';

/** The input of a command at one call. */
export interface CommandInput {
  readonly io: CliIo;
  /** @throws UsageError For the first flag with an invalid value. */
  readonly read: <F extends Flags>(flags: F | undefined) => Values<F>;
  /** A required positional argument. */
  readonly arg: (index: number) => string;
  /** An optional positional argument. */
  readonly optionalArg: (index: number) => string | undefined;
}

interface Description {
  /** Name and positional arguments, such as `show <run>`. */
  readonly usage: string;
  readonly summary: string;
  /** Examples for `--help`, each a whole command line. */
  readonly examples: readonly string[];
  /** Closing text of `--help`. */
  readonly notes?: string;
}

/** A complete command. */
export interface CommandSpec extends Description {
  readonly flags: Flags;
  /** @returns The exit code. */
  readonly run: (input: CommandInput) => Promise<number>;
}

/** A description whose `run` gets the values of its flags, and what its kind of command adds. */
export interface CommandDraft<F extends Flags, More = unknown> extends Description {
  /** None by default. */
  readonly flags?: F;
  readonly run: (input: CommandInput & { readonly flags: Values<F> } & More) => Promise<number>;
}

/** A command that needs only its flags. */
export function plainCommand<F extends Flags>(draft: CommandDraft<F>): CommandSpec {
  const { flags = {}, run } = draft;
  return { ...draft, flags, run: (input) => run({ ...input, flags: input.read(draft.flags) }) };
}

/** What all commands of a program share. */
export interface CommandHost {
  readonly io: CliIo;
  readonly setExitCode: (code: number) => void;
  /** True if mistakes in the command line are reported as JSON, by whoever runs the program. */
  readonly isJson?: boolean;
}

/** Registers a command, with its options and help, under a parent command. */
export function addCommand(parent: Command, host: CommandHost, spec: CommandSpec): void {
  const command = parent.command(spec.usage).description(spec.summary).summary(spec.summary);
  const attributes = new Map<string, string>();
  for (const flag of Object.values(spec.flags)) {
    const option = new Option(flag.spec, flag.env === null ? flag.text : `${flag.text} [env ${flag.env}]`);
    attributes.set(flag.spec, option.attributeName());
    command.addOption(option);
  }
  const examples = spec.examples.map((line) => `  $ ${line}`).join('\n');
  const notes = spec.notes === undefined ? '' : `\n${spec.notes}\n`;
  command.addHelpText('after', `\nExample${spec.examples.length === 1 ? '' : 's'}:\n${examples}\n${notes}`);
  command.action(async () => {
    const { args } = command;
    const code = await spec.run({
      io: host.io,
      read: (flags) => readFlags(flags, (one) => rawFlag(command, attributes.get(one)), host.io.env),
      arg: (index) => {
        const value = args[index];
        if (value === undefined) throw new Error(`${spec.usage} has no argument ${index}`);
        return value;
      },
      optionalArg: (index) => args[index],
    });
    host.setExitCode(code);
  });
}

function rawFlag(command: Command, attribute: string | undefined): RawFlag {
  const value: unknown = attribute === undefined ? undefined : command.getOptionValue(attribute);
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  return Array.isArray(value) ? value.map(String) : undefined;
}
