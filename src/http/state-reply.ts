// Answers that carry a workflow state: the envelope's text, spliced from the document's, and its ETag.
import { accepted, type Outcome } from '../domain/errors.js';
import { isJsonObject } from '../domain/json.js';
import type { StateEnvelope } from '../ports/api/index.js';
import { documentText } from '../service/document-text.js';
import { textReply, type Reply } from './reply.js';

/** A version as a strong entity tag (RFC 9110, section 8.8.3). */
export function etagOf(version: number): string {
  return `"${String(version)}"`;
}

const PLACE = '"current_data":0';

/**
 * The same text as `JSON.stringify(envelope)`, without walking the document again.
 * The place of the document is found by a text that no string value can hold, since quotes in strings are escaped.
 */
export function envelopeText(envelope: StateEnvelope): string {
  const { current_data: document } = envelope;
  if (!isJsonObject(document)) return JSON.stringify(envelope);
  const text = JSON.stringify({ ...envelope, current_data: 0 });
  const at = text.indexOf(PLACE);
  const from = at + PLACE.length;
  return `${text.slice(0, from - 1)}${documentText(document)}${text.slice(from)}`;
}

const keptTexts = new WeakMap<StateEnvelope, string>();

/** An envelope that the service keeps, as an answer: the next reader of this version gets the text that is made here. */
export function keptEnvelopeReply(envelope: StateEnvelope, etag: string): Reply {
  let text = keptTexts.get(envelope);
  if (text === undefined) {
    text = envelopeText(envelope);
    keptTexts.set(envelope, text);
  }
  return textReply(200, text, { etag });
}

/** An envelope as an answer. */
export function envelopeReply(
  status: number,
  envelope: StateEnvelope,
  headers?: Readonly<Record<string, string>>,
): Reply {
  return textReply(status, envelopeText(envelope), headers);
}

/**
 * An envelope with its ETag; a refusal passes.
 *
 * @param stored - False for the answer of a dry run: its version is no one's, so it has no ETag.
 */
export function stateReply(status: number, outcome: Outcome<StateEnvelope>, stored = true): Outcome<Reply> {
  if (!outcome.ok) return outcome;
  const { version } = outcome.value;
  return accepted(envelopeReply(status, outcome.value, stored ? { etag: etagOf(version) } : undefined));
}
