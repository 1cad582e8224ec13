// What a command line program has around it, so that tests can bring their own.

export interface CliIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output is a terminal. */
  readonly isTTY: boolean;
  /** Columns of it. */
  readonly width: number;
}

/** Colour is for people, and only for those who did not decline it (https://no-color.org). */
export function hasColour(io: CliIo): boolean {
  return io.isTTY && (io.env['NO_COLOR'] ?? '') === '';
}
