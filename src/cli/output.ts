// Output of a command: results on standard output, as text or as the API's JSON; failures on standard error.
import type { Outcome, Refusal } from '../domain/errors.js';
import type { JsonValue } from '../domain/json/json.js';
import { EXIT, exitCodeOf } from './text/exit-codes.js';
import type { CliIo } from './io.js';
import { refusalJson, refusalText } from './text/refusal-text.js';
import { styleOf, type Style } from './text/table.js';
import { harmless, jsonText } from './text/terminal-text.js';

export interface Output {
  readonly style: Style;
  readonly isJson: boolean;
  /** Prints a result: its value, or its failure. @returns The exit code. */
  readonly show: <T>(outcome: Outcome<T>, text: (value: T) => string) => number;
  /** Prints a failure. @returns The exit code. */
  readonly refuse: (refusal: Refusal) => number;
  /** Prints a note in addition to the result; not with `--json`. */
  readonly note: (text: string) => void;
  /** Formats a document or a text from outside for standard output; on a terminal, control characters are escaped. */
  readonly document: (value: JsonValue) => string;
  readonly free: (text: string) => string;
}

export function createOutput(io: CliIo, isJson: boolean): Output {
  const refuse = (refusal: Refusal) => {
    io.stderr.write(isJson ? refusalJson(refusal) : refusalText(refusal));
    return exitCodeOf(refusal.error);
  };
  const free = (text: string) => (io.isTTY ? harmless(text) : text);
  return {
    style: styleOf(io),
    isJson,
    show: (outcome, text) => {
      if (!outcome.ok) return refuse(outcome.refusal);
      io.stdout.write(isJson ? `${jsonText(outcome.value)}\n` : text(outcome.value));
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
