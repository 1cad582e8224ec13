// Commands to copy.

/** A word that a POSIX shell takes as it is. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
