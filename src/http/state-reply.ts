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

/** The same text as `JSON.stringify(envelope)`, without walking the document again. */
export function envelopeText(envelope: StateEnvelope): string {
  const { current_data: document } = envelope;
  if (!isJsonObject(document)) return JSON.stringify(envelope);
  let text = '{';
  for (const [name, value] of Object.entries(envelope)) {
    if (text.length > 1) text += ',';
    text += `"${name}":${name === 'current_data' ? documentText(document) : JSON.stringify(value)}`;
  }
  return `${text}}`;
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
