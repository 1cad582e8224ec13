// How a command is described, and how it becomes one of commander's. Knows no command.
import { Option, type Command } from 'commander';
import { readFlags, type Flags, type RawFlag, type Values } from './flag.js';
import type { CliIo } from './io.js';

export interface CommandInput<F extends Flags> {
  readonly flags: Values<F>;
  readonly io: CliIo;
  /** A positional argument that the usage calls for. */
  readonly arg: (index: number) => string;
  /** A positional argument that may be left out. */
  readonly optionalArg: (index: number) => string | undefined;
}

export interface CommandSpec<F extends Flags> {
  /** Name and positional arguments, such as `show <run>`. */
  readonly usage: string;
  readonly summary: string;
  readonly flags: F;
  /** Lines for `--help`, each a whole command line. */
  readonly examples: readonly string[];
  /** Said at the end of `--help`. */
  readonly notes?: string;
  /** @returns The exit code. */
  readonly run: (input: CommandInput<F>) => Promise<number>;
}

/** What every command of one program shares. */
export interface CommandHost {
  readonly io: CliIo;
  readonly setExitCode: (code: number) => void;
}

export function addCommand<F extends Flags>(parent: Command, host: CommandHost, spec: CommandSpec<F>): void {
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
    const flags = readFlags(spec.flags, (one) => rawFlag(command, attributes.get(one)), host.io.env);
    const { args } = command;
    const code = await spec.run({
      flags,
      io: host.io,
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
