// JSON for people: what fits on a line stands on one. Pure.
import { isJsonArray, isJsonObject, type JsonValue } from '../domain/json/json.js';

const INDENT = '  ';

/**
 * @param columns - What a line may take; a single string or number may take more.
 * @param before - Columns that are taken on the first line already.
 */
export function prettyJson(value: JsonValue, columns: number, before = 0): string {
  const flat = flatJson(value);
  if (flat.length + before <= columns) return flat;
  const inner = columns - INDENT.length;
  if (isJsonArray(value)) {
    return block(
      '[',
      value.map((item) => prettyJson(item, inner)),
      ']',
    );
  }
  if (!isJsonObject(value)) return flat;
  const members = Object.entries(value).map(([name, member]) => {
    const label = `${JSON.stringify(name)}: `;
    return label + prettyJson(member, inner, label.length);
  });
  return block('{', members, '}');
}

function block(open: string, parts: readonly string[], close: string): string {
  const lines = parts.join(',\n').split('\n');
  return [open, ...lines.map((line) => INDENT + line), close].join('\n');
}

function flatJson(value: JsonValue): string {
  if (isJsonArray(value)) return `[${value.map(flatJson).join(', ')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${flatJson(member)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
