// The JSON text of a document, made once. Documents are never changed in place, so the text belongs to the object.
import type { JsonObject } from '../domain/json.js';

const texts = new WeakMap<JsonObject, string>();

/** The document as JSON text. */
export function documentText(document: JsonObject): string {
  let text = texts.get(document);
  if (text === undefined) {
    text = JSON.stringify(document);
    texts.set(document, text);
  }
  return text;
}

/** Remembers the text that a document was parsed from. */
export function rememberText(document: JsonObject, text: string): void {
  texts.set(document, text);
}
