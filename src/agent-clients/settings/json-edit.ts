// Edits JSON text and keeps all other bytes: comments, order, indentation, line ends. Knows no client.
import jsonc, { type Node, type ParseError } from 'jsonc-parser';
import type { JsonValue } from '../../domain/json/json.js';
import { SettingsError } from './settings-error.js';

export type Path = readonly (string | number)[];

/** @throws SettingsError If the text is not JSON, with the line. An empty text is an empty object. */
export function parseJson(text: string): unknown {
  if (text.trim() === '') return {};
  const errors: ParseError[] = [];
  const value: unknown = jsonc.parse(text, errors, { allowTrailingComma: true, disallowComments: false });
  const [error] = errors;
  if (error === undefined) return value;
  const what = jsonc.printParseErrorCode(error.error);
  throw new SettingsError(`The settings are not JSON: ${what} in line ${lineAt(text, error.offset)}`);
}

/** The value at a path; `undefined` if there is none. */
export function valueAt(text: string, path: Path): JsonValue | undefined {
  const node = nodeAt(text, path);
  if (node === undefined) return undefined;
  return jsonc.getNodeValue(node) as JsonValue;
}

/** True if a comment stands in the container of the value at a path, outside of that value. */
export function hasCommentBeside(text: string, path: Path): boolean {
  const found = nodeAt(text, path);
  const target = found?.parent?.type === 'property' ? found.parent : found;
  const around = target?.parent;
  if (target === undefined || around === undefined) return false;
  const [before, after] = [
    text.slice(around.offset, target.offset),
    text.slice(endOf(target), endOf(around)),
  ];
  return [before, after].some((one) => jsonc.stripComments(one) !== one);
}

/** Sets or replaces a member. Creates missing parents. */
export function setMember(text: string, path: Path, value: JsonValue): string {
  const existing = nodeAt(text, path);
  if (existing === undefined) return inserted(text, path, value, false);
  const rendered = render(value, text, lineIndent(text, existing.offset));
  return splice(text, existing.offset, existing.offset + existing.length, rendered);
}

/** Appends an item to an array. Creates the array and missing parents. */
export function appendItem(text: string, path: Path, value: JsonValue): string {
  return nodeAt(text, path) === undefined
    ? inserted(text, path, [value], false)
    : inserted(text, path, value, true);
}

/** Removes a member or an item, together with its comma and white space. */
export function removeAt(text: string, path: Path): string {
  const found = nodeAt(text, path);
  if (found === undefined) return text;
  const target = found.parent?.type === 'property' ? found.parent : found;
  const siblings = target.parent?.children ?? [];
  const at = siblings.indexOf(target);
  const [before, after] = [siblings[at - 1], siblings[at + 1]];
  const end = endOf(target);
  if (before !== undefined) {
    const between = text.slice(endOf(before), target.offset);
    const rest = text.slice(end);
    const [head, tail] = hasComma(rest) ? [between, withoutComma(rest)] : [withoutComma(between), rest];
    return `${text.slice(0, endOf(before))}${joined(head, tail)}`;
  }
  if (after !== undefined) {
    const between = text.slice(end, after.offset);
    return splice(text, target.offset, after.offset, withoutComma(between).trimStart());
  }
  const { offset, length } = target.parent ?? target;
  const close = offset + length - 1;
  const [head, tail] = [text.slice(offset + 1, target.offset), withoutComma(text.slice(end, close))];
  const rest = `${head}${tail}`.trim() === '' ? '' : joined(head, tail);
  return splice(text, offset + 1, close, rest);
}

function inserted(text: string, path: Path, value: JsonValue, isItem: boolean): string {
  let around = path.slice(0, isItem ? path.length : -1);
  let name: string | null = isItem ? null : String(path.at(-1));
  let content = value;
  for (;;) {
    const container = around.length === 0 ? jsonc.parseTree(text) : nodeAt(text, around);
    if (container !== undefined) {
      const expected = name === null ? 'array' : 'object';
      if (container.type === expected) return insertedInto(text, container, name, content);
      const where = around.length === 0 ? 'the top' : `/${around.join('/')}`;
      const line = lineAt(text, container.offset);
      throw new SettingsError(
        `The settings have something else than ${expected === 'array' ? 'a list' : 'an object'} at ${where}, in line ${line}`,
      );
    }
    content = name === null ? [content] : { [name]: content };
    name = String(around.at(-1));
    around = around.slice(0, -1);
  }
}

function insertedInto(text: string, container: Node, name: string | null, value: JsonValue): string {
  const last = container.children?.at(-1);
  const close = container.offset + container.length - 1;
  const lead = name === null ? '' : `${JSON.stringify(name)}: `;
  const eol = eolOf(text);
  if (last === undefined) {
    const outer = lineIndent(text, container.offset);
    const inner = `${outer}${unitOf(text)}`;
    const content = text.slice(container.offset + 1, close).trimEnd();
    const entry = `${content}${eol}${inner}${lead}${render(value, text, inner)}${eol}${outer}`;
    return splice(text, container.offset + 1, close, entry);
  }
  const tail = text.slice(endOf(last), close);
  if (!text.slice(container.offset, last.offset).includes('\n')) {
    const entry = `${lead}${JSON.stringify(value)}`;
    return splice(text, endOf(last), endOf(last), `, ${entry}`);
  }
  const indent = lineIndent(text, last.offset);
  const entry = `${tail.trimEnd()}${eol}${indent}${lead}${render(value, text, indent)}`;
  return splice(
    text,
    endOf(last),
    endOf(last) + tail.trimEnd().length,
    `${hasComma(tail) ? '' : ','}${entry}`,
  );
}

/** True if the first token of a text is a comma. */
function hasComma(text: string): boolean {
  return commaAt(text) !== null;
}

/** The text after a node without its comma. Commas in comments stay. */
function withoutComma(text: string): string {
  const at = commaAt(text);
  return at === null ? text : splice(text, at, at + 1, '');
}

function commaAt(text: string): number | null {
  const scanner = jsonc.createScanner(text, true);
  const token: number = scanner.scan();
  return token === COMMA ? scanner.getTokenOffset() : null;
}

/** Two texts, with the space between them that the second one has. A comment at the end of the first stays one. */
function joined(head: string, tail: string): string {
  const startsLine = /^[ \t]*(\r?\n|$)/.test(tail);
  return startsLine || !endsWithLineComment(head) ? `${head.trimEnd()}${tail}` : `${head}${tail.trimStart()}`;
}

function endsWithLineComment(text: string): boolean {
  const scanner = jsonc.createScanner(text.trimEnd(), false);
  let last = 0;
  for (;;) {
    const token: number = scanner.scan();
    if (token === END) return last === LINE_COMMENT;
    last = token;
  }
}

// `SyntaxKind` of the scanner is a const enum, which one file alone cannot use.
const COMMA = 5;
const LINE_COMMENT = 12;
const END = 17;

/** The node at a path. If a member is given twice the last one counts, as it does for clients. */
function nodeAt(text: string, path: Path): Node | undefined {
  return path.reduce<Node | undefined>((node, step) => {
    if (typeof step === 'number') return node?.type === 'array' ? node.children?.[step] : undefined;
    if (node?.type !== 'object') return undefined;
    return node.children?.findLast(({ children }) => children?.[0]?.value === step)?.children?.[1];
  }, jsonc.parseTree(text));
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function splice(text: string, from: number, to: number, content: string): string {
  return `${text.slice(0, from)}${content}${text.slice(to)}`;
}

function render(value: JsonValue, text: string, indent: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', `${eolOf(text)}${indent}`);
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** The indentation of the text: that of its first indented line. */
function unitOf(text: string): string {
  return /^([ \t]+)["{[]/m.exec(text)?.[1] ?? '  ';
}

function lineIndent(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function lineAt(text: string, offset: number): string {
  return String(text.slice(0, offset).split('\n').length);
}
