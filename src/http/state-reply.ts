// Answers that carry a workflow state: the envelope's text, spliced from the document's, and its ETag.
import { accepted, type Outcome } from '../domain/errors.js';
import { isJsonObject } from '../domain/json.js';
import type { StateEnvelope } from '../ports/api/index.js';
import { documentBytes, documentText } from '../service/document-text.js';
import { textReply, type Reply } from './reply.js';

/** A version as a strong entity tag (RFC 9110, section 8.8.3). */
export function etagOf(version: number): string {
  return `"${String(version)}"`;
}

/** An envelope as JSON text, with its length in UTF-8. */
interface EnvelopeText {
  readonly text: string;
  readonly bytes: number;
}

/** Where the document goes. No member before it is an object, so the first place that reads so is this one. */
const NULL = 'null';
const PLACE = `"current_data":${NULL}`;

/** The same text as `JSON.stringify(envelope)`, without walking the document again. */
export function envelopeText(envelope: StateEnvelope): EnvelopeText {
  const { current_data: document } = envelope;
  if (!isJsonObject(document)) {
    const text = JSON.stringify(envelope);
    return { text, bytes: Buffer.byteLength(text) };
  }
  const around = JSON.stringify({ ...envelope, current_data: null });
  const end = around.indexOf(PLACE) + PLACE.length;
  return {
    text: around.slice(0, end - NULL.length) + documentText(document) + around.slice(end),
    bytes: Buffer.byteLength(around) - NULL.length + documentBytes(document),
  };
}

const keptTexts = new WeakMap<StateEnvelope, EnvelopeText>();

/** An envelope that the service keeps, as an answer: the next reader of this version gets the text that is made here. */
export function keptEnvelopeReply(envelope: StateEnvelope, etag: string): Reply {
  let known = keptTexts.get(envelope);
  if (known === undefined) {
    known = envelopeText(envelope);
    keptTexts.set(envelope, known);
  }
  return textReply(200, known.text, { etag }, known.bytes);
}

/** An envelope of a version that there is, as an answer. */
export function envelopeReply(
  status: number,
  envelope: StateEnvelope,
  headers?: Readonly<Record<string, string>>,
): Reply {
  const { text, bytes } = envelopeText(envelope);
  const { state_id: stateId, version } = envelope;
  const inHistory = { body: envelope, member: 'current_data', stateId, version, pointer: '' };
  return { ...textReply(status, text, headers, bytes), inHistory };
}

/**
 * An envelope with its ETag; a refusal passes.
 *
 * @param stored - False for the answer of a dry run: its version is no one's, so it has no ETag.
 */
export function stateReply(status: number, outcome: Outcome<StateEnvelope>, stored = true): Outcome<Reply> {
  if (!outcome.ok) return outcome;
  if (stored) return accepted(envelopeReply(status, outcome.value, { etag: etagOf(outcome.value.version) }));
  const { text, bytes } = envelopeText(outcome.value);
  return accepted(textReply(status, text, undefined, bytes));
}
