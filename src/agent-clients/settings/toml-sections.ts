// Where the tables of a TOML text begin and end. Knows no table of ours.
import { parse } from 'smol-toml';

/** A header with the members below it: from the header to the end of its last member. */
export interface Section {
  readonly path: readonly string[];
  /** The header is `[[…]]`: the section is an item of a list. */
  readonly isItem: boolean;
  /** Offset of the header. */
  readonly from: number;
  /**
   * Offset behind the last member, with its line end. Comments and blank lines between members are inside, those in
   * front of the next header are not.
   */
  readonly to: number;
  /** The lines of comments directly above the header, the first one first. */
  readonly comments: readonly Line[];
}

export interface Line {
  readonly text: string;
  readonly from: number;
}

/** The sections of a text that is TOML. Members above the first header are in none. */
export function sectionsOf(text: string): readonly Section[] {
  const sections: Section[] = [];
  let comments: Line[] = [];
  for (let from = 0; from < text.length;) {
    const to = endOfStatement(text, from);
    const line = text.slice(from, to).trim();
    const last = sections.at(-1);
    if (line.startsWith('#')) comments.push({ text: line, from });
    else {
      if (line.startsWith('[')) sections.push({ ...headerOf(line), from, to, comments });
      else if (line !== '' && last !== undefined) sections.splice(-1, 1, { ...last, to });
      comments = [];
    }
    from = to;
  }
  return sections;
}

/** Strings, comments, brackets, line ends, and what is between them. */
const TOKEN =
  /"""(?:\\[^]|(?!""")[^\\])*"{3,5}|'''[^]*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*|[[\]{}\n]|[^"'#[\]{}\n]+|[^]/y;

/** The end of the line, or of the value that goes on over several lines. */
function endOfStatement(text: string, from: number): number {
  const token = new RegExp(TOKEN);
  token.lastIndex = from;
  let depth = 0;
  for (;;) {
    const [found] = token.exec(text) ?? [];
    if (found === undefined) return text.length;
    if (found === '[' || found === '{') depth += 1;
    if (found === ']' || found === '}') depth -= 1;
    if (found === '\n' && depth <= 0) return token.lastIndex;
  }
}

function headerOf(line: string): Pick<Section, 'path' | 'isItem'> {
  const path: string[] = [];
  let value: unknown = parse(line);
  for (;;) {
    const [member] = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    if (Array.isArray(value) || member === undefined) return { path, isItem: Array.isArray(value) };
    path.push(member[0]);
    value = member[1];
  }
}

/** True if a path is below another one. */
export function isInside(path: readonly string[], outer: readonly string[]): boolean {
  return path.length > outer.length && outer.every((name, at) => path[at] === name);
}

/** The text without these ranges, which are in order. */
export function cut(text: string, ranges: readonly Pick<Section, 'from' | 'to'>[]): string {
  const kept = ranges.map(({ from }, at) => text.slice(ranges[at - 1]?.to ?? 0, from));
  return `${kept.join('')}${text.slice(ranges.at(-1)?.to ?? 0)}`;
}
