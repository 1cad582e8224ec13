// The files of docs/deploy, with what is to be replaced in them.
import { readFileSync } from 'node:fs';

/** @param values - By the words in capitals. */
export function deployFile(name: string, values: Readonly<Record<string, string>>): string {
  const text = readFileSync(new URL(`../../docs/deploy/${name}`, import.meta.url), 'utf8');
  return text
    .split('\n')
    .map((line) =>
      /^\s*[#;]/.test(line) ? line : line.replaceAll(/\b[A-Z]{3,}\b/g, (word) => values[word] ?? word),
    )
    .join('\n');
}

export const USER = 'postgres';
export const PASSWORD = 'secret';
