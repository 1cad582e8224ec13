// Tables in a TOML text that are ours: each follows a comment of ours and is found by it. All other bytes stay as they are,
// and what they mean is held against what they meant before. Knows no client.
import { parse, TomlError } from 'smol-toml';
import { UsageError } from '../usage-error.js';
import { isSame } from './parts.js';

const MARK = '# countersign wrote this table; countersign disconnect removes it.';
/** Of earlier versions. */
const OLD_MARK = '# countersign hook install wrote this table; countersign hook uninstall removes it.';
const BLOCK = new RegExp(
  `(?:^\\r?\\n)?^(?:${[MARK, OLD_MARK].map((one) => one.replaceAll('.', '\\.')).join('|')})\\r?\\n` +
    String.raw`((?:(?:\[\[?[^\r\n]+\]|[\w-]+ = [^\r\n]*)(?:\r?\n|$))+)`,
  'gm',
);

export type Table = Readonly<Record<string, unknown>>;

/** @throws UsageError Where it is no TOML, with the line. */
export function parseToml(text: string): Table {
  try {
    return parse(text);
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    const line = error instanceof TomlError ? ` in line ${String(error.line)}` : '';
    throw new UsageError(`The settings are not TOML: ${why}${line}`);
  }
}

/** The text with further tables at its end. @throws UsageError Where its own form does not let them be added. */
export function withTables(text: string, tables: readonly string[]): string {
  if (tables.length === 0) return text;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const begun = text === '' || text.endsWith('\n') ? text : `${text}${eol}`;
  const added = tables.map((one) => `${MARK}\n${one.trimEnd()}\n`.replaceAll('\n', eol)).join(eol);
  const changed = `${begun}${begun === '' ? '' : eol}${added}`;
  try {
    parse(changed);
  } catch {
    throw new UsageError(
      'The settings have hooks or mcp_servers in a form that tables cannot be added to; write them as [[hooks.NAME]] and [mcp_servers.NAME]',
    );
  }
  return changed;
}

/** The text without tables of ours. @param goes - Says of the meaning of a table whether it is one to take out. */
export function withoutTables(text: string, goes: (table: Table) => boolean): string {
  return text.replace(BLOCK, (block: string, tables: string) => (goes(parseToml(tables)) ? '' : block));
}

/** The text without a table that somebody wrote by hand, by its header alone; `null` where it is not written so. */
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
