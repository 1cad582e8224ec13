// Parses and validates the messages of a caller.
import { invalidMember, type Result } from '../../domain/errors.js';
import { isJsonObject, type JsonValue } from '../../domain/json/json.js';
import { SocketAuthenticate, SocketSubscribe, SocketUnsubscribe } from '../../ports/api/index.js';
import { parseJson } from '../requests/parse-json.js';
import type { Compiler } from '../requests/validation/validate.js';

export type SocketMessage = SocketAuthenticate | SocketSubscribe | SocketUnsubscribe;

/** A longer name is not repeated in an answer. In characters. */
const NAME_MAX = 128;

interface ReadMessageResult {
  readonly message: Result<SocketMessage>;
  /** The subscription that the message names, also if it is refused; `null` if it names none. */
  readonly subscription: string | null;
}

/** @param text - `null` for a binary message. */
export type ReadMessage = (text: string | null) => ReadMessageResult;

export function createMessageReader(compiler: Compiler): ReadMessage {
  const checks = {
    authenticate: compiler.body(SocketAuthenticate),
    subscribe: compiler.body(SocketSubscribe),
    unsubscribe: compiler.body(SocketUnsubscribe),
  };
  function checked(value: JsonValue, length: number): Result<SocketMessage> {
    const type = isJsonObject(value) ? value['type'] : undefined;
    if (type === 'authenticate') return checks.authenticate(value, length);
    if (type === 'subscribe') return checks.subscribe(value, length);
    if (type === 'unsubscribe') return checks.unsubscribe(value, length);
    return invalidMember('/type', 'is not a message of this service', [
      'subscribe',
      'unsubscribe',
      'authenticate',
    ]);
  }
  return (text) => {
    if (text === null) return { message: BINARY, subscription: null };
    const value = parseJson('The message', text);
    if (!value.ok) return { message: value, subscription: null };
    const named = isJsonObject(value.value) ? value.value['subscription'] : undefined;
    const subscription = typeof named === 'string' && named.length <= NAME_MAX ? named : null;
    return { message: checked(value.value, text.length), subscription };
  };
}

const BINARY = invalidMember('', 'is a binary message', 'a text message with JSON');
