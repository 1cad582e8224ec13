// Splits a text into arguments as a shell does: at white space outside of quotes. Expands nothing.

/** `--a 'b c' "d \"e\""` becomes `--a`, `b c`, `d "e"`. */
export function wordsOf(text: string): readonly string[] {
  const words = text.match(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+/gs) ?? [];
  return words.map((word) =>
    word.replace(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs,
      (_, double?: string, single?: string, escaped?: string) =>
        double?.replace(/\\(.)/gs, '$1') ?? single ?? escaped ?? '',
    ),
  );
}
