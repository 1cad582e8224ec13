// The environment of a command line program, so that tests can replace it.

export interface CliIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output is a terminal. */
  readonly isTTY: boolean;
  /** Columns of the terminal. */
  readonly width: number;
}

/** Color is only for terminals, and only if the user did not decline it (https://no-color.org). */
export function hasColour(io: CliIo): boolean {
  return io.isTTY && (io.env['NO_COLOR'] ?? '') === '';
}
