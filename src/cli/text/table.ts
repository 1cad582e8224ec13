// Text for terminals: aligned tables and records. Pure.
import { hasColour, type CliIo } from '../io/io.js';
import { harmless } from './terminal-text.js';

export interface Style {
  readonly colour: boolean;
  /** Maximum columns of a line; `null` for no limit. */
  readonly width: number | null;
}

/** A terminal gets color and lines that fit; a pipe gets everything, without color. */
export function styleOf(io: CliIo): Style {
  return { colour: hasColour(io), width: io.isTTY && io.width > 0 ? io.width : null };
}

export type Cell = string | number | boolean | null | undefined;

const GAP = '  ';
const CELL_COLUMNS_MIN = 8;

/** A heading and one line per row. If a line is too wide, its widest columns are truncated. */
export function table(titles: readonly string[], rows: readonly (readonly Cell[])[], style: Style): string {
  const texts = rows.map((row) => row.map(cellText));
  const widths = fit(
    titles.map((title, at) => Math.max(columnsOf(title), ...texts.map((row) => columnsOf(row[at] ?? '')))),
    style.width,
  );
  const lineOf = (cells: readonly string[], paint: (text: string) => string) =>
    cells
      .map((cell, at) => {
        const width = widths[at] ?? 0;
        const text = truncate(cell, width);
        const padding = at === cells.length - 1 ? '' : ' '.repeat(Math.max(0, width - columnsOf(text)));
        return (style.colour ? paint(text) : text) + padding;
      })
      .join(GAP)
      .trimEnd();
  const heading = lineOf(
    titles.map((title) => title.toUpperCase()),
    bold,
  );
  return [heading, ...texts.map((row) => lineOf(row, paintStatus))].map((text) => `${text}\n`).join('');
}

/** One line per member: name, value. Omits members that are `undefined`. */
export function record(style: Style, members: readonly (readonly [string, Cell])[]): string {
  const shown = members.filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...shown.map(([name]) => columnsOf(name)));
  return shown
    .map(([name, value]) => {
      const text = cellText(value);
      const label = name.padEnd(width);
      return `${style.colour ? bold(label) : label}${GAP}${style.colour ? paintStatus(text) : text}\n`;
    })
    .join('');
}

/** Shortens a timestamp of the service. */
export function time(timestamp: string | null): string {
  return timestamp === null ? '-' : timestamp.replace('T', ' ').replace(/(\.\d+)?Z$/, '');
}

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return '-';
  return harmless(
    String(cell)
      .trimEnd()
      .replace(/[\t\r\n]+/g, ' '),
  );
}

/** Narrows the widest column until the line fits. */
function fit(widths: readonly number[], lineWidth: number | null): readonly number[] {
  const fitted = [...widths];
  if (lineWidth === null) return fitted;
  const total = () => fitted.reduce((sum, width) => sum + width, GAP.length * (fitted.length - 1));
  while (total() > lineWidth) {
    const widest = Math.max(...fitted);
    if (widest <= CELL_COLUMNS_MIN) break;
    fitted[fitted.indexOf(widest)] = widest - 1;
  }
  return fitted;
}

function truncate(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let truncated = '';
  let used = 0;
  for (const char of text) {
    used += columnsOf(char);
    if (used > columns - 1) break;
    truncated += char;
  }
  return `${truncated}…`;
}

/** Display columns of a text: combining marks take none, East Asian wide characters and emoji two. */
function columnsOf(text: string): number {
  let columns = 0;
  for (const char of text) {
    if (/\p{Mark}|\u200d|\ufe0f/u.test(char)) continue;
    columns +=
      /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/u.test(char)
        ? 2
        : 1;
  }
  return columns;
}

const COLOURS: Readonly<Record<string, number>> = {
  completed: 32,
  finished: 32,
  delivered: 32,
  acknowledged: 32,
  failed: 31,
  dead: 31,
  timed_out: 31,
  running: 36,
  pending: 33,
  claimed: 33,
  queued: 33,
  held: 33,
  stopping: 33,
};

function paintStatus(text: string): string {
  const colour = COLOURS[text];
  return colour === undefined ? text : `\u001b[${colour}m${text}\u001b[0m`;
}

function bold(text: string): string {
  return `\u001b[1m${text}\u001b[0m`;
}
