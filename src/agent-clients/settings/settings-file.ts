// The parts that a connection adds to a client's files: hooks, the MCP server, and trust in both.
import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '../../domain/json/json.js';

export const KINDS = ['hooks', 'mcp', 'trust'] as const;
export type Kind = (typeof KINDS)[number];
export type Kinds = ReadonlySet<Kind>;

/** Our name among a client's MCP servers. */
export const SERVER = 'countersign';

/** One member of a settings file, or one item of a list in it. */
export interface Part {
  readonly kind: Kind;
  readonly path: readonly string[];
  readonly value: JsonValue;
  /** The value is an item of the list at the path, not the member itself. */
  readonly isItem: boolean;
  readonly certainty: Certainty;
}

/**
 * How certain it is that an entry is ours. `marked`: only we write it. `named`: it has our name, but a user may
 * have written it. `shared`: users write the same for themselves, such as trust in a folder.
 */
export const CERTAINTIES = ['marked', 'named', 'shared'] as const;
export type Certainty = (typeof CERTAINTIES)[number];

export function isWithin(one: Certainty, limit: Certainty): boolean {
  return CERTAINTIES.indexOf(one) <= CERTAINTIES.indexOf(limit);
}

/** A settings file and how to change it, as text. An empty text stands for a missing file. */
export interface SettingsFile {
  readonly file: string;
  /** The folder of the project, if projects share the file. Then only the entries of this project are ours. */
  readonly owner?: string;
  /** The text of a file without settings, which its client can read. */
  readonly empty: string;
  /**
   * Adds our parts of these kinds to the text.
   *
   * @param now - The text with our former parts. What a user added to our server there stays.
   * @throws SettingsError If it is not a settings file.
   */
  readonly add: (text: string, kinds: Kinds, now: string) => string;
  /**
   * Removes our parts of these kinds; empty if nothing else was in the text.
   *
   * @param limit - Parts that are less certainly ours stay.
   * @throws SettingsError If it is not a settings file.
   */
  readonly remove: (text: string, kinds: Kinds, limit: Certainty) => string;
  /**
   * Adds what our parts replaced: hooks and the server of a user, as they are in the text before. It is for a text
   * that has changed so much since that the bytes of before cannot be restored.
   */
  readonly restore: (text: string, before: string) => string;
  /** The parsed settings, for comparison. */
  readonly meaning: (text: string) => unknown;
}

/**
 * True if a value is an MCP server with the command line that `connect` writes, and any other members. A user may
 * have written the same.
 */
export function isOurServer(value: unknown): boolean {
  const [program, verb, flag, url, ...others] = commandLineOf(value);
  if (program !== SERVER || verb !== 'mcp' || others.length > 0) return false;
  return flag === undefined || (flag === '--url' && typeof url === 'string');
}

/** True if a value is an MCP server that runs Countersign, from any folder and with any arguments. */
export function runsOurServer(value: unknown): boolean {
  const [program, verb] = commandLineOf(value);
  return typeof program === 'string' && /(^|[/\\])countersign(\.js)?$/.test(program) && verb === 'mcp';
}

function commandLineOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const { command, args = [] } = value as { command?: unknown; args?: unknown };
  return [command, args].flat();
}

export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(plain(one), plain(other));
}

/** Converts to plain objects and arrays, so that values of different parsers compare equal. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]: [string, unknown]) => [name, plain(one)]),
  );
}

/** An item of a list. Only we write hooks, so they are certainly ours. */
export function item(kind: Kind, path: readonly string[], value: JsonValue): Part {
  return { kind, path, value, isItem: true, certainty: kind === 'hooks' ? 'marked' : 'named' };
}

export function member(kind: Kind, path: readonly string[], value: JsonValue): Part {
  return { kind, path, value, isItem: false, certainty: 'named' };
}

export function shared(part: Part): Part {
  return { ...part, certainty: 'shared' };
}
