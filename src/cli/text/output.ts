// Output of a command: results on standard output, as text or as the API's JSON; failures on standard error.
import type { Result, Failure } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json/json.js';
import { EXIT, exitCodeOf } from './exit-codes.js';
import type { CliIo } from '../io/io.js';
import { failureJson, failureText } from './failure-text.js';
import { styleOf, type Style } from './table.js';
import { harmless, jsonText } from './terminal-text.js';

export interface Output {
  readonly style: Style;
  readonly isJson: boolean;
  /** Prints a result: its value, or its failure. @returns The exit code. */
  readonly show: <T>(result: Result<T>, text: (value: T) => string) => number;
  /** Prints a failure. @returns The exit code. */
  readonly refuse: (failure: Failure) => number;
  /** Prints a note in addition to the result; not with `--json`. */
  readonly note: (text: string) => void;
  /** Formats a document or a text from outside for standard output; on a terminal, control characters are escaped. */
  readonly document: (value: JsonValue) => string;
  readonly free: (text: string) => string;
}

export function createOutput(io: CliIo, isJson: boolean): Output {
  const refuse = (failure: Failure) => {
    io.stderr.write(isJson ? failureJson(failure) : failureText(failure));
    return exitCodeOf(failure.error);
  };
  const free = (text: string) => (io.isTTY ? harmless(text) : text);
  return {
    style: styleOf(io),
    isJson,
    show: (result, text) => {
      if (!result.ok) return refuse(result.failure);
      io.stdout.write(isJson ? `${jsonText(result.value)}\n` : text(result.value));
      return EXIT.ok;
    },
    refuse,
    note: (text) => {
      if (!isJson) io.stderr.write(`${harmless(text)}\n`);
    },
    document: (value) => `${jsonText(value, 2)}\n`,
    free,
  };
}
