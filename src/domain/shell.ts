// Quoting for POSIX shells, and reading of commands in which every shell reads the same words.

/** The text as one word of a command. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Characters that are refused even in quotes: those with a meaning to a shell there, control characters, and the
 * typographic quotes that PowerShell takes for quotes.
 */
const REFUSED = /[;&|`$<>\\‘’‚‛“”„]|(?!\t)\p{Cc}/u;
/** One word: plain characters, a quoted text, or both in this order, as in `--data='{"a": 1}'`. */
const WORD = /[ \t]*(?![ \t]|$)([\p{L}\p{N}_./:@=+-]*)(?:'([^']*)'|"([^"]*)")?(?![^ \t])/guy;

/**
 * The words of a command that a shell only splits, and takes quotes from.
 *
 * @returns `null` if a shell may do anything else with it: expand, redirect, run a second command.
 */
export function plainWords(command: string): readonly string[] | null {
  if (REFUSED.test(command)) return null;
  const text = command.replace(/[ \t]+$/, '');
  const words = [...text.matchAll(WORD)];
  if (words.map(([word]) => word).join('') !== text) return null;
  return words.map(([, plain = '', single = '', double = '']) => plain + single + double);
}
