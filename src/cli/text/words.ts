// A text of arguments, taken apart as a shell would: at white space, outside of quotes. Nothing is expanded.

/** `--a 'b c' "d \"e\""` is `--a`, `b c`, `d "e"`. */
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
