// Replies that contain a workflow state: the envelope's text, composed with the document's text, and its ETag.
import { ok, type Result } from '../../domain/errors.js';
import { isJsonObject, quoted } from '../../domain/json/json.js';
import { StateEnvelope, type Listed, type StateSummary, type StateWritten } from '../../ports/api/index.js';
import type { Host, JsonText } from '../../ports/host.js';
import { warningHeaders } from './size-warning.js';
import { jsonHeaders, textReply, type Reply } from './reply.js';

/** A version as a strong entity tag (RFC 9110, section 8.8.3). */
export function etagOf(version: number): string {
  return `"${String(version)}"`;
}

/** The members of an envelope, in the order in which the service creates them. Further members of an answer follow. */
const MEMBERS = Object.keys(StateEnvelope.properties);

function sized(text: string): JsonText {
  return { text, bytes: Buffer.byteLength(text) };
}

type Opened = Pick<
  StateEnvelope,
  'schema_id' | 'schema_name' | 'schema_version' | 'root_session_id' | 'root_session_name'
>;

interface Opening extends JsonText {
  /** The values in the text. */
  readonly of: Opened;
}

function hasSameText(one: Opened, other: Opened): boolean {
  return (
    one.schema_id === other.schema_id &&
    one.schema_name === other.schema_name &&
    one.schema_version === other.schema_version &&
    one.root_session_id === other.root_session_id &&
    one.root_session_name === other.root_session_name
  );
}

const NONE: JsonText = { text: '', bytes: 0 };
const CHANGED = sized(',"changed":true');

/** The members after the common ones; `null` if these are incomplete or in another order. */
function othersText(envelope: StateEnvelope): JsonText | null {
  let at = 0;
  let others = NONE;
  for (const name in envelope) {
    if (at < MEMBERS.length) {
      if (name !== MEMBERS[at]) return null;
      at += 1;
      continue;
    }
    const value: unknown = envelope[name as keyof StateEnvelope];
    if (value === undefined) continue;
    if (name === 'changed' && value === true && others === NONE) others = CHANGED;
    else others = sized(`${others.text},"${name}":${JSON.stringify(value)}`);
  }
  return at === MEMBERS.length ? others : null;
}

/** The number of states whose openings are cached. */
const OPENINGS_MAX = 2000;

/** Composes replies from the texts of documents that the service has, without walking a document again. */
export class StateReplies {
  /** The first part of the answers about a state, by state id. It stays the same until the state gets another schema. */
  readonly #openings = new Map<string, Opening>();
  /** The texts of envelopes that the service caches. Each lives as long as its envelope. */
  readonly #texts = new WeakMap<StateEnvelope, JsonText>();

  constructor(private readonly host: Pick<Host, 'textOf'>) {}

  /** Returns the same text as `JSON.stringify(envelope)`. */
  textOf(envelope: StateEnvelope): JsonText {
    const { current_data: document, updated_by: by } = envelope;
    const others = othersText(envelope);
    if (others === null || !isJsonObject(document)) return sized(JSON.stringify(envelope));
    const opening = this.#openingOf(envelope);
    const data = this.host.textOf(document);
    // Times and ids are ASCII, so their characters equal their bytes.
    const facts =
      `"version":${String(envelope.version)},"created_at":"${envelope.created_at}",` +
      `"updated_at":"${envelope.updated_at}","updated_by":${by === null ? 'null' : quoted(by)},"current_data":`;
    return {
      text: `${opening.text}${facts}${data.text}${others.text}}`,
      bytes: opening.bytes + facts.length + data.bytes + others.bytes + 1,
    };
  }

  /** A page of states as a reply; a failure is returned as it is. */
  list(result: Result<Listed<StateSummary>>): Result<Reply> {
    if (!result.ok) return result;
    const { items, next_cursor: next } = result.value;
    const texts = items.map((item) => (hasDocument(item) ? this.textOf(item).text : JSON.stringify(item)));
    return ok(textReply(200, `{"items":[${texts.join(',')}],"next_cursor":${JSON.stringify(next)}}`));
  }

  /** A reply for an envelope that the service caches. The next reader of this version gets the same text. */
  kept(envelope: StateEnvelope, etag: string): Reply {
    let known = this.#texts.get(envelope);
    if (known === undefined) {
      known = this.textOf(envelope);
      this.#texts.set(envelope, known);
    }
    return textReply(200, known.text, { etag }, known.bytes);
  }

  /** A reply for an envelope of an existing version. */
  stored(status: number, envelope: StateEnvelope, headers?: Reply['headers']): Reply {
    const { text, bytes } = this.textOf(envelope);
    const { state_id: stateId, version } = envelope;
    const inHistory = { body: envelope, member: 'current_data', stateId, version, pointer: '' };
    return { status, text, bytes, headers: jsonHeaders(headers), inHistory };
  }

  /**
   * A reply for the result of a write, with its ETag; a failure is returned as it is.
   *
   * @param stored - False for the answer of a dry run: its version is not stored, so it has no ETag.
   */
  written(result: Result<StateEnvelope & Pick<StateWritten, 'warnings'>>, stored = true): Result<Reply> {
    if (!result.ok) return result;
    const { value: envelope } = result;
    const headers = warningHeaders(envelope.warnings);
    if (stored) {
      headers['etag'] = etagOf(envelope.version);
      return ok(this.stored(200, envelope, headers));
    }
    const { text, bytes } = this.textOf(envelope);
    return ok(textReply(200, text, headers, bytes));
  }

  #openingOf(envelope: StateEnvelope): JsonText {
    const { state_id: stateId } = envelope;
    const known = this.#openings.get(stateId);
    if (known !== undefined && hasSameText(known.of, envelope)) return known;
    const { schema_id, schema_name, schema_version, root_session_id, root_session_name } = envelope;
    const text =
      `{"state_id":${quoted(stateId)},"schema_id":${quoted(schema_id)},` +
      `"schema_name":${quoted(schema_name)},"schema_version":${String(schema_version)},` +
      `"root_session_id":${quoted(root_session_id)},"root_session_name":${quoted(root_session_name)},`;
    const of = { schema_id, schema_name, schema_version, root_session_id, root_session_name };
    const opening = { ...sized(text), of };
    if (this.#openings.size >= OPENINGS_MAX) this.#openings.clear();
    this.#openings.set(stateId, opening);
    return opening;
  }
}

function hasDocument(state: StateSummary): state is StateEnvelope {
  return state.current_data !== undefined;
}
