// Quoting for POSIX shells.

/** The text as one word of a command. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
