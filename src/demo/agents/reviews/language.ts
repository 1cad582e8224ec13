// Which language a file is written in, told by its name. Pure.
import path from 'node:path';

interface Language {
  readonly name: string;
  /** Code, rather than data or prose. */
  readonly isCode: boolean;
}

const CODE: Readonly<Record<string, string>> = {
  C: 'c h',
  'C#': 'cs',
  'C++': 'cc cpp cxx hpp hh',
  CSS: 'css scss less',
  Clojure: 'clj cljs',
  Dart: 'dart',
  Elixir: 'ex exs',
  Erlang: 'erl hrl',
  Go: 'go',
  Haskell: 'hs',
  Java: 'java',
  JavaScript: 'js mjs cjs jsx',
  Julia: 'jl',
  Kotlin: 'kt kts',
  Lua: 'lua',
  OCaml: 'ml mli',
  'Objective-C': 'm mm',
  PHP: 'php',
  Perl: 'pl pm',
  Python: 'py pyi',
  R: 'r',
  Ruby: 'rb',
  Rust: 'rs',
  SQL: 'sql',
  Scala: 'scala',
  Shell: 'sh bash zsh',
  Svelte: 'svelte',
  Swift: 'swift',
  TypeScript: 'ts mts cts tsx',
  Vue: 'vue',
  Zig: 'zig',
};
const TEXT: Readonly<Record<string, string>> = {
  HTML: 'html htm',
  JSON: 'json jsonc json5',
  Markdown: 'md mdx',
  'Plain text': 'txt rst adoc',
  TOML: 'toml',
  XML: 'xml svg',
  YAML: 'yml yaml',
};

function byExtension(table: Readonly<Record<string, string>>, isCode: boolean): [string, Language][] {
  return Object.entries(table).flatMap(([name, extensions]) =>
    extensions.split(' ').map((extension): [string, Language] => [`.${extension}`, { name, isCode }]),
  );
}

const LANGUAGES: ReadonlyMap<string, Language> = new Map([
  ...byExtension(CODE, true),
  ...byExtension(TEXT, false),
]);
export const OTHER: Language = { name: 'Other', isCode: false };

export function languageOf(file: string): Language {
  return LANGUAGES.get(path.posix.extname(file).toLowerCase()) ?? OTHER;
}
