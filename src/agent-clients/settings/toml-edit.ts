// Edits our tables in TOML text. A comment marks each table. All other bytes stay; each removal is checked against
// the parsed content. Knows no client.
import { parse, TomlError } from 'smol-toml';
import { SettingsError } from './settings-error.js';
import { isSame } from './settings-file.js';
import { cut, isInside, sectionsOf, type Section } from './toml-sections.js';
import { messageOf } from '../../domain/text.js';

const MARK = '# countersign wrote this table; countersign disconnect removes it.';
/** The mark of earlier versions. */
const OLD_MARK = '# countersign hook install wrote this table; countersign hook uninstall removes it.';

export type Table = Readonly<Record<string, unknown>>;

/** @throws SettingsError If the text is not TOML, with the line. */
export function parseToml(text: string): Table {
  try {
    return parse(text);
  } catch (error) {
    const why = messageOf(error).split('\n')[0] ?? '';
    const where = error instanceof TomlError ? ` in line ${String(error.line)}` : '';
    throw new SettingsError(`The settings are not TOML: ${why}${where}`);
  }
}

/** Appends tables to the text. @throws SettingsError If the existing form does not allow that. */
export function withTables(text: string, tables: readonly string[]): string {
  if (tables.length === 0) return text;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const begun = text === '' || text.endsWith('\n') ? text : `${text}${eol}`;
  const added = tables.map((one) => `${MARK}\n${one.trimEnd()}\n`.replaceAll('\n', eol)).join(eol);
  const changed = `${begun}${begun === '' ? '' : eol}${added}`;
  const result = parsed(changed);
  if (result === null) {
    throw new SettingsError(
      'The settings have hooks or mcp_servers in a form that tables cannot be added to; write them as [[hooks.NAME]] and [mcp_servers.NAME]',
    );
  }
  for (const one of tables) {
    const list = listAround(parseToml(one), result);
    if (list !== null) {
      throw new SettingsError(
        `The settings have ${list} as a list of tables ([[${list}]]), to which [${list}.NAME] cannot be added; write it as a table`,
      );
    }
  }
  return changed;
}

/** The path of a list in the settings where a new table has a table: the new one is in an item of it. */
function listAround(table: Table, settings: Table): string | null {
  for (const [name, inner] of Object.entries(table)) {
    const found = settings[name];
    if (!isTable(inner)) continue;
    if (Array.isArray(found)) return name;
    const list = isTable(found) ? listAround(inner, found) : null;
    if (list !== null) return `${name}.${list}`;
  }
  return null;
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Why our entries cannot be removed: other content is mixed with them. */
export const BY_HAND =
  'The settings have entries of Countersign that were changed by hand; remove those by hand first (they contain countersign)';

/**
 * Removes our tables.
 *
 * @param goes - Whether to remove a table, given its parsed content.
 * @param without - The parsed settings without such a table.
 * @throws SettingsError If anything else would change.
 */
export function withoutTables(
  text: string,
  goes: (table: Table) => boolean,
  without: (settings: Table, table: Table) => Table,
): string {
  let expected = parseToml(text);
  const sections = sectionsOf(text);
  const gone: Range[] = [];
  for (const section of sections) {
    const mark = section.comments.findLast((one) => one.text === MARK || one.text === OLD_MARK);
    if (mark === undefined) continue;
    const ranges = rangesOf(section, mark.from, sections);
    const table = parsed(ranges.map(({ from, to }) => text.slice(from, to)).join('\n'));
    if (table === null) throw new SettingsError(BY_HAND);
    if (!goes(table)) continue;
    expected = without(expected, table);
    gone.push(...ranges.map(({ from, to }) => ({ from: from - emptyLineBefore(text, from), to })));
  }
  const rest = cut(
    text,
    gone.toSorted((one, other) => one.from - other.from),
  );
  if (rest !== text && !isSame(compact(parsed(rest)), compact(expected))) throw new SettingsError(BY_HAND);
  return rest;
}

type Range = Pick<Section, 'from' | 'to'>;

/**
 * Where a marked table and those inside it are: a table by its path, wherever they are; an item of a list, directly
 * below it.
 */
function rangesOf(head: Section, from: number, sections: readonly Section[]): readonly Range[] {
  const isPart = (one: Section) => isInside(one.path, head.path);
  const below = sections.slice(sections.indexOf(head) + 1);
  const next = below.findIndex((one) => !isPart(one));
  const adjacent = next < 0 ? below : below.slice(0, next);
  const others = head.isItem ? [] : sections.filter((one) => isPart(one) && !adjacent.includes(one));
  return [{ from, to: adjacent.at(-1)?.to ?? head.to }, ...others];
}

/** The length of the empty line in front of a position; 0 if there is none. */
function emptyLineBefore(text: string, at: number): number {
  return /(?:^|\n)(\r?\n)$/.exec(text.slice(Math.max(0, at - 3), at))?.[1]?.length ?? 0;
}

function parsed(text: string): Table | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}

/** Without empty tables and lists: they may be left where ours were. */
function compact(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map(compact);
  const members = Object.entries(value).map(
    ([name, one]: [string, unknown]) => [name, compact(one)] as const,
  );
  return Object.fromEntries(members.filter(([, one]) => !isEmpty(one)));
}

function isEmpty(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && !(value instanceof Date) && Object.keys(value).length === 0
  );
}

/**
 * Removes a table without our mark, found by its path, together with the tables inside it; `null` if the text has no
 * header of these or more would change.
 */
export function withoutTable(
  text: string,
  path: readonly string[],
  without: (settings: Table) => unknown,
): string | null {
  const gone = sectionsOf(text).filter((one) => isSame(one.path, path) || isInside(one.path, path));
  if (gone.length === 0) return null;
  const rest = cut(text, gone);
  const [left, settings] = [parsed(rest), parsed(text)];
  return left !== null && settings !== null && isSame(compact(left), compact(without(settings)))
    ? rest
    : null;
}
