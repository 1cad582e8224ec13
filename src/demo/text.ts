// Text for the demonstration's output: colour where it is wanted, tables, and nothing that steers a terminal. Pure.

export interface Paper {
  readonly colour: boolean;
  /** Columns that a line may take. */
  readonly width: number;
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Paint = keyof typeof CODES;

export function painted(text: string, paint: Paint | null, { colour }: Paper): string {
  return colour && paint !== null ? `\u001b[${CODES[paint]}m${text}\u001b[0m` : text;
}

/** What stands in a repository may steer a terminal; here it may not. */
export function harmless(text: string): string {
  return text.replace(
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    '\ufffd',
  );
}

/** One line of at most so many characters. */
export function cut(text: string, columns: number): string {
  const line = harmless(text.replace(/\s+/g, ' ').trim());
  return line.length <= columns ? line : `${line.slice(0, Math.max(0, columns - 1))}…`;
}

/** A heading and a line for each row; the last column is cut where the lines would be too long. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[], paper: Paper): string {
  const clean = rows.map((row) => row.map((cell) => cut(cell, paper.width)));
  const widths = titles.map((title, at) =>
    Math.max(title.length, ...clean.map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    clipped(
      cells.map((cell, at) => (at === cells.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  '),
      paper.width - 2,
    );
  const heading = painted(line(titles), 'bold', paper);
  return [heading, ...clean.map(line)].map((text) => `  ${text}\n`).join('');
}

function clipped(text: string, columns: number): string {
  return text.length <= columns ? text.trimEnd() : `${text.slice(0, columns - 1)}…`;
}

export function title(text: string, paper: Paper): string {
  return `\n${painted(text, 'bold', paper)}\n`;
}
