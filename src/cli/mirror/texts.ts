// The text of the mirrored files: the document, and what is known of it. Pure.
import { isJsonArray, isJsonObject, parsedJson, type JsonValue } from '../../domain/json/json.js';
import type { StateEnvelope } from '../../ports/api/index.js';
import { harmlessJson } from '../text/terminal-text.js';

/** A state with its document. */
export type MirroredState = Omit<StateEnvelope, 'schema_id' | 'created_at'>;

/** The content of `state.meta.json`. */
export interface MirrorMeta {
  readonly state_id: string;
  readonly root_session_id: string;
  readonly version: number;
  readonly schema_name: string;
  readonly schema_version: number;
  readonly updated_at: string;
  readonly updated_by: string | null;
  readonly tags: readonly string[];
}

const INDENT = '  ';

/** The document with its members sorted by name: equal documents have equal texts. */
export function documentText(document: JsonValue): string {
  return `${harmlessJson(sortedText(document, '\n'))}\n`;
}

/** An object with sorted members would not do: JavaScript puts names that look like indices first. */
function sortedText(value: JsonValue, newline: string): string {
  const inner = newline + INDENT;
  if (isJsonArray(value)) {
    if (value.length === 0) return '[]';
    return `[${inner}${value.map((item) => sortedText(item, inner)).join(`,${inner}`)}${newline}]`;
  }
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (members.length === 0) return '{}';
  const lines = members.map(([name, one]) => `${JSON.stringify(name)}: ${sortedText(one, inner)}`);
  return `{${inner}${lines.join(`,${inner}`)}${newline}}`;
}

export function metaOf(state: MirroredState, tags: readonly string[]): MirrorMeta {
  const { state_id, root_session_id, version, schema_name, schema_version, updated_at, updated_by } = state;
  return { state_id, root_session_id, version, schema_name, schema_version, updated_at, updated_by, tags };
}

export function metaText(meta: MirrorMeta): string {
  return `${harmlessJson(JSON.stringify(meta, null, INDENT))}\n`;
}

/** @returns `null` if this is not what `metaText` wrote. */
export function parseMeta(text: string): MirrorMeta | null {
  const meta = parseEditedMeta(text);
  return meta !== null && metaText(meta) === text ? meta : null;
}

/** @returns The state that the text is about, also if the text was edited; `null` if it names none. */
export function parseEditedMeta(text: string): MirrorMeta | null {
  const value = parsedJson(text);
  if (!isJsonObject(value)) return null;
  const { state_id, root_session_id, version, schema_name, schema_version, updated_at, updated_by, tags } =
    value;
  if (typeof state_id !== 'string' || typeof root_session_id !== 'string') return null;
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1) return null;
  if (typeof schema_name !== 'string' || typeof schema_version !== 'number') return null;
  if (typeof updated_at !== 'string' || (typeof updated_by !== 'string' && updated_by !== null)) return null;
  if (!isJsonArray(tags) || !tags.every((tag) => typeof tag === 'string')) return null;
  return { state_id, root_session_id, version, schema_name, schema_version, updated_at, updated_by, tags };
}
