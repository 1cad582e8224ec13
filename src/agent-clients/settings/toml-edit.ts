// Edits our tables in TOML text. A comment marks each table. All other bytes stay; edits of unmarked tables are
// checked against the parsed content. Knows no client.
import { parse, TomlError } from 'smol-toml';
import { SettingsError } from './settings-error.js';
import { isSame } from './settings-file.js';

const MARK = '# countersign wrote this table; countersign disconnect removes it.';
/** The mark of earlier versions. */
const OLD_MARK = '# countersign hook install wrote this table; countersign hook uninstall removes it.';
const BLOCK = new RegExp(
  `(?:^\\r?\\n)?^(?:${[MARK, OLD_MARK].map((one) => one.replaceAll('.', '\\.')).join('|')})\\r?\\n` +
    String.raw`((?:(?:\[\[?[^\r\n]+\]|[\w-]+ = [^\r\n]*)(?:\r?\n|$))+)`,
  'gm',
);

export type Table = Readonly<Record<string, unknown>>;

/** @throws SettingsError If the text is not TOML, with the line. */
export function parseToml(text: string): Table {
  try {
    return parse(text);
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    const line = error instanceof TomlError ? ` in line ${String(error.line)}` : '';
    throw new SettingsError(`The settings are not TOML: ${why}${line}`);
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

/** Removes our tables. @param goes - Whether to remove a table, given its parsed content. */
export function withoutTables(text: string, goes: (table: Table) => boolean): string {
  return text.replace(BLOCK, (block: string, tables: string) => (goes(parseToml(tables)) ? '' : block));
}

/**
 * Removes a table without our mark, found by its header; `null` if the text has no such header or more would
 * change.
 */
export function withoutTable(
  text: string,
  header: string,
  without: (settings: Table) => unknown,
): string | null {
  const lines = text.split(/(?<=\n)/);
  const from = lines.findIndex((line) => line.trim().replace(/\s*#.*$/, '') === `[${header}]`);
  if (from < 0) return null;
  const next = lines.findIndex((line, at) => at > from && /^\s*\[/.test(line));
  const to = next < 0 ? lines.length : next;
  const rest = [...lines.slice(0, from), ...lines.slice(to)].join('');
  try {
    return isSame(parse(rest), without(parse(text))) ? rest : null;
  } catch {
    return null;
  }
}
