// Makes text from outside safe for a terminal: escapes characters that control the terminal, change the writing
// direction, or are invisible. Pure.
import { escapeSequences } from '../../domain/json/json.js';

/**
 * Control characters (C0, DEL, C1), Unicode line separators, direction marks and zero-width characters. The
 * joiners of emoji and of scripts stay.
 */
const HIDDEN =
  '\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}';
const IN_TEXT = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f${HIDDEN}]`, 'gu');
const IN_JSON = new RegExp(`[${HIDDEN}]`, 'gu');

/** Escapes what would control the terminal in text from agents. Line ends and tabs stay. */
export function harmless(text: string): string {
  return text.replace(IN_TEXT, escapeSequences);
}

/** A value as JSON: unchanged for parsers, safe for terminals. */
export function jsonText(value: unknown, indent?: number): string {
  return harmlessJson(JSON.stringify(value, null, indent));
}

/** Makes JSON text safe for terminals. All escaped characters are within JSON strings. */
export function harmlessJson(text: string): string {
  return text.replace(IN_JSON, escapeSequences);
}
