// The result of a handler: a status, headers and the text of the body. One place turns it into a Response.
import { ok, type Result } from '../../domain/errors.js';
import type { StreamBody } from './stream-body.js';

/** A value in an answer that the history of a state also holds: the value at a pointer of one of its versions. */
interface InHistory {
  /** The body of the reply. */
  readonly body: object;
  /** The member of the body that holds the value. */
  readonly member: string;
  readonly stateId: string;
  readonly version: number;
  readonly pointer: string;
}

export interface Reply {
  readonly status: number;
  readonly text: string | null;
  /** The length of the text in UTF-8, if known. */
  readonly bytes?: number;
  /** The body as it is sent, in the content encoding that the headers name, instead of a text. */
  readonly encoded?: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** Set if there is such a value, so that a stored answer does not need it. */
  readonly inHistory?: InHistory;
  /** True if the same request may find something else later: sent again, it runs again instead of getting this reply. */
  readonly provisional?: boolean;
  /** A streamed body, instead of a text. */
  readonly stream?: StreamBody;
}

/**
 * The headers of a JSON body, with further ones. `Object.assign`, because V8 takes ten times as long for a spread after
 * another member.
 */
export function jsonHeaders(further?: Reply['headers']): Reply['headers'] {
  return Object.assign({ 'content-type': 'application/json' }, further);
}

/** A JSON reply. */
export function jsonReply(status: number, value: unknown, headers?: Readonly<Record<string, string>>): Reply {
  return textReply(status, JSON.stringify(value), headers);
}

/** A JSON reply from an existing text, with its length in UTF-8 if known. */
export function textReply(
  status: number,
  text: string,
  headers?: Readonly<Record<string, string>>,
  bytes?: number,
): Reply {
  const all = jsonHeaders(headers);
  return bytes === undefined ? { status, text, headers: all } : { status, text, bytes, headers: all };
}

/** A reply without a body. */
export function emptyReply(status: number, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, text: null, headers };
}

/** A result of the service as JSON with this status; a failure is returned as it is. */
export function answered<T>(status: number, result: Result<T>): Result<Reply> {
  return result.ok ? ok(jsonReply(status, result.value)) : result;
}

/** Status 201 with the new record and its location; a failure is returned as it is. */
export function createdAt<T>(result: Result<T>, locate: (value: T) => string): Result<Reply> {
  return result.ok ? ok(jsonReply(201, result.value, { location: locate(result.value) })) : result;
}

/** Status 204; a failure is returned as it is. */
export function noContent(result: Result<null>): Result<Reply> {
  return result.ok ? ok(emptyReply(204)) : result;
}
