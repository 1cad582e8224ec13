// The language of a file, and whether it is a test, by its name. Pure.
import path from 'node:path';

const CODE = [
  'C c h',
  'C# cs',
  'C++ cc cpp hpp',
  'CSS css scss',
  'Elixir ex exs',
  'Go go',
  'Haskell hs',
  'Java java',
  'JavaScript js mjs cjs jsx',
  'Kotlin kt kts',
  'PHP php',
  'Python py pyi',
  'Ruby rb',
  'Rust rs',
  'SQL sql',
  'Scala scala',
  'Shell sh bash zsh',
  'Swift swift',
  'TypeScript ts mts cts tsx',
];
const TEXT = [
  'HTML html htm',
  'JSON json jsonc',
  'Markdown md mdx',
  'TOML toml',
  'XML xml svg',
  'YAML yml yaml',
];
const TEST_FOLDER = /(^|\/)(tests?|__tests__|specs?|e2e)\//i;
const TEST_NAME = /(^|\/)(test_[^/]*|[^/]*([._-](test|spec)|Tests?))\.[^/.]+$/;

const byExtension = (lines: readonly string[]) =>
  new Map(
    lines.flatMap((line) => {
      const [name = '', ...extensions] = line.split(' ');
      return extensions.map((extension): [string, string] => [`.${extension}`, name]);
    }),
  );
const CODE_BY_EXTENSION = byExtension(CODE);
const TEXT_BY_EXTENSION = byExtension(TEXT);
export const OTHER = 'Other';

export function languageOf(file: string): string {
  const extension = path.posix.extname(file).toLowerCase();
  return CODE_BY_EXTENSION.get(extension) ?? TEXT_BY_EXTENSION.get(extension) ?? OTHER;
}

/** True for code, false for data and prose. */
export function isCode(file: string): boolean {
  return CODE_BY_EXTENSION.has(path.posix.extname(file).toLowerCase());
}

export function isTest(file: string): boolean {
  return TEST_FOLDER.test(file) || TEST_NAME.test(file);
}
