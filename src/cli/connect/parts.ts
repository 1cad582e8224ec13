// What a connection puts into a client's files: hooks, the MCP server, and what makes the client trust them.
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
  /** An item of the list at the path, not the member itself. */
  readonly isItem: boolean;
  readonly certainty: Certainty;
}

/**
 * How sure it is that what stands in a file is ours. `marked`: nobody else writes it. `named`: it has our name, and people
 * may have written it by hand. `shared`: people write the same for themselves, such as that a folder is trusted.
 */
export const CERTAINTIES = ['marked', 'named', 'shared'] as const;
export type Certainty = (typeof CERTAINTIES)[number];

export function isWithin(one: Certainty, limit: Certainty): boolean {
  return CERTAINTIES.indexOf(one) <= CERTAINTIES.indexOf(limit);
}

/** A file of a client, and how it is changed. Texts; an empty one is a file that is not there. */
export interface SettingsFile {
  readonly file: string;
  /** The text with what is wanted of these kinds. @throws UsageError Where it is no settings file. */
  readonly add: (text: string, kinds: Kinds) => string;
  /**
   * The text without what is ours of these kinds; empty where nothing else was in it.
   *
   * @param limit - What is less certain to be ours stays.
   * @throws UsageError Likewise.
   */
  readonly remove: (text: string, kinds: Kinds, limit: Certainty) => string;
  /** What the text means, for comparison. */
  readonly meaning: (text: string) => unknown;
}

/** Whether a value is what a part puts there, with other arguments too: the command is what tells. */
export function isOurServer(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { command, args } = value as { command?: unknown; args?: unknown };
  const line: readonly unknown[] = [command, args].flat();
  const [program, verb] = line;
  return typeof program === 'string' && /(^|[/\\])countersign(\.js)?$/.test(program) && verb === 'mcp';
}

export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(plain(one), plain(other));
}

/** Objects and arrays of one kind, whatever they were parsed into. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]: [string, unknown]) => [name, plain(one)]),
  );
}
