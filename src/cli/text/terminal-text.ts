// Text from outside, made fit for a terminal: what would steer it, turn the order of its letters round or hide is shown
// by its number. Pure.

/**
 * Control characters (C0, DEL, C1), the line ends of Unicode, what sets the direction of letters, and what takes no room.
 * The joiners of emoji and of scripts stay.
 */
const HIDDEN =
  '\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}';
const IN_TEXT = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f${HIDDEN}]`, 'gu');
const IN_JSON = new RegExp(`[${HIDDEN}]`, 'gu');

/** What agents print may steer a terminal; here it may not. Line ends and tabs stay. */
export function harmless(text: string): string {
  return text.replace(IN_TEXT, escapeOf);
}

/** A value as JSON: the same value for whoever parses it, and harmless for whoever sees it. */
export function jsonText(value: unknown, indent?: number): string {
  return harmlessJson(JSON.stringify(value, null, indent));
}

/** JSON text in which nothing steers a terminal; all that is escaped stands in strings. */
export function harmlessJson(text: string): string {
  return text.replace(IN_JSON, escapeOf);
}

/** As JSON writes it. */
function escapeOf(found: string): string {
  return Array.from(
    { length: found.length },
    (_, index) => `\\u${found.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}
