// What a handler gives back: a status, headers and the text of the body. Becomes a Response in one place.
import { accepted, type Outcome } from '../../domain/errors.js';
import type { StreamBody } from './event-stream.js';

/** A value within an answer that the history of a state holds too: that at a pointer of one of its versions. */
export interface InHistory {
  /** The answer's body. */
  readonly body: object;
  /** Its member that holds the value. */
  readonly member: string;
  readonly stateId: string;
  readonly version: number;
  readonly pointer: string;
}

export interface Reply {
  readonly status: number;
  readonly text: string | null;
  /** The length of the text in UTF-8, where it is known. */
  readonly bytes?: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Where there is such a value: the answer need not be kept with it. */
  readonly inHistory?: InHistory;
  /** In place of a text: an answer that goes on. */
  readonly stream?: StreamBody;
}

export const JSON_TYPE = { 'content-type': 'application/json' } as const;

/** A JSON answer. */
export function jsonReply(status: number, value: unknown, headers?: Readonly<Record<string, string>>): Reply {
  return textReply(status, JSON.stringify(value), headers);
}

/** A JSON answer whose text is there already, and its length in UTF-8 where that is known. */
export function textReply(
  status: number,
  text: string,
  headers?: Readonly<Record<string, string>>,
  bytes?: number,
): Reply {
  const all = headers === undefined ? JSON_TYPE : { ...JSON_TYPE, ...headers };
  return bytes === undefined ? { status, text, headers: all } : { status, text, bytes, headers: all };
}

/** An answer without a body. */
export function emptyReply(status: number, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, text: null, headers };
}

/** What the service came to, as JSON with this status; a refusal passes. */
export function answered<T>(status: number, outcome: Outcome<T>): Outcome<Reply> {
  return outcome.ok ? accepted(jsonReply(status, outcome.value)) : outcome;
}

/** A new record with its address; a refusal passes. */
export function createdAt<T>(outcome: Outcome<T>, locate: (value: T) => string): Outcome<Reply> {
  return outcome.ok ? accepted(jsonReply(201, outcome.value, { location: locate(outcome.value) })) : outcome;
}

/** 204, or the refusal. */
export function gone(outcome: Outcome<null>): Outcome<Reply> {
  return outcome.ok ? accepted(emptyReply(204)) : outcome;
}
