// The pages of the documentation as text: what is in them, and their parts.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Every page, by its path from the root of the checkout. */
export function pages(): readonly string[] {
  const atRoot = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' });
  return [...atRoot, ...docs.filter((name) => name.endsWith('.md')).map((name) => join('docs', name))];
}

export function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

export function isThere(path: string): boolean {
  return existsSync(join(ROOT, path));
}

/** The text between a heading and the next one of its level or a higher one. */
export function sectionOf(text: string, title: string): string {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === title);
  if (from < 0) throw new Error(`There is no section ${title}`);
  const level = /^#+/.exec(lines[from] ?? '')?.[0].length ?? 1;
  let inCode = false;
  const to = lines.findIndex((line, at) => {
    if (line.startsWith('```')) inCode = !inCode;
    return at > from && !inCode && new RegExp(`^#{1,${String(level)}} `).test(line);
  });
  return lines.slice(from, to < 0 ? undefined : to).join('\n');
}

/** The fenced blocks of a language, in their order. */
export function codeBlocks(text: string, language: string): readonly string[] {
  return [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , code]) => code ?? '');
}

/** A page without its fenced blocks. */
export function prose(text: string): string {
  return text.replace(/^```\w*\n[^]*?^```$/gm, '');
}

/** The rows of all tables, each as its cells; headings are left out. */
export function tableRows(text: string): readonly (readonly string[])[] {
  const lines = prose(text).split('\n');
  return lines
    .filter((line, at) => line.startsWith('|') && !isRule(line) && !isRule(lines[at + 1] ?? ''))
    .map((line) =>
      line
        .slice(1, line.lastIndexOf('|'))
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
}

function isRule(line: string): boolean {
  return /^\|[\s:|-]+\|$/.test(line);
}

/** What a heading is called in a link, as code hosts do it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[`*_]/g, (sign) => (sign === '_' ? '_' : ''))
    .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

export function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading ?? ''));
  return new Set(headings);
}
