// What several layers ask of a text, whoever wrote it.

/** The text without the byte order mark that some programs write. RFC 8259, section 8.1, lets a parser ignore it. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** True if the text holds half of a surrogate pair: neither a URL nor UTF-8 can carry it. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
