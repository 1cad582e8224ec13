// Edits our tables in TOML text. A comment marks each table. All other bytes stay; each removal is checked against
// the parsed content. Knows no client.
import { parse, TomlError } from 'smol-toml';
import { SettingsError } from './settings-error.js';
import { isSame } from './settings-file.js';
import { messageOf } from '../../domain/text.js';

const MARK = '# countersign wrote this table; countersign disconnect removes it.';
/** The mark of earlier versions. */
const OLD_MARK = '# countersign hook install wrote this table; countersign hook uninstall removes it.';
/** The lines of the members of a table. */
const MEMBERS = String.raw`(?:[ \t]*[\w"'][^\r\n]*=[^\r\n]*(?:\r?\n|$))*`;
/** A mark with the table that it announces: up to the next table that is not inside that one. */
const BLOCK = new RegExp(
  `(?:^\\r?\\n)?^(?:${[MARK, OLD_MARK].map((one) => one.replaceAll('.', '\\.')).join('|')})\\r?\\n` +
    String.raw`(\[\[?(?<name>[^\r\n]+?)\]\]?(?:\r?\n|$)${MEMBERS}` +
    String.raw`(?:(?:\r?\n)*\[\[?\k<name>\.[^\r\n]+\](?:\r?\n|$)${MEMBERS})*)`,
  'gm',
);

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
  try {
    parse(changed);
  } catch {
    throw new SettingsError(
      'The settings have hooks or mcp_servers in a form that tables cannot be added to; write them as [[hooks.NAME]] and [mcp_servers.NAME]',
    );
  }
  return changed;
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
  const rest = text.replace(BLOCK, (block: string, tables: string) => {
    const table = parsed(tables);
    if (table === null) throw new SettingsError(BY_HAND);
    if (!goes(table)) return block;
    expected = without(expected, table);
    return '';
  });
  if (rest !== text && !isSame(compact(parsed(rest)), compact(expected))) throw new SettingsError(BY_HAND);
  return rest;
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
  const lines = text.split(/(?<=\n)/);
  const starts = lines.flatMap((line, at) => (/^\s*\[/.test(line) ? [at] : []));
  const gone = new Set<number>();
  for (const [index, from] of starts.entries()) {
    if (!isWithinTable(lines[from] ?? '', path)) continue;
    let to = starts[index + 1] ?? lines.length;
    // What stands in front of the next table belongs to that one.
    while (to > from + 1 && /^\s*(#|$)/.test(lines[to - 1] ?? '')) to -= 1;
    for (let at = from; at < to; at += 1) gone.add(at);
  }
  if (gone.size === 0) return null;
  const rest = lines.filter((_, at) => !gone.has(at)).join('');
  const [left, settings] = [parsed(rest), parsed(text)];
  return left !== null && settings !== null && isSame(compact(left), compact(without(settings)))
    ? rest
    : null;
}

/** True if a line is the header of the table at a path, or of one inside it. Names may be quoted. */
function isWithinTable(line: string, path: readonly string[]): boolean {
  return path.reduce<unknown>(memberOf, parsed(line)) !== undefined;
}

function memberOf(value: unknown, name: string): unknown {
  const members: Table = typeof value === 'object' ? { ...value } : {};
  return members[name];
}
