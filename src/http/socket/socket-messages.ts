// Parses and validates the messages of a caller.
import { invalidMember, type Result } from '../../domain/errors.js';
import { isJsonObject } from '../../domain/json/json.js';
import { SocketAuthenticate, SocketSubscribe, SocketUnsubscribe } from '../../ports/api/index.js';
import { parseJson } from '../requests/parse-json.js';
import type { Compiler } from '../requests/validation/validate.js';

export type SocketMessage = SocketAuthenticate | SocketSubscribe | SocketUnsubscribe;

export type ReadMessage = (text: string) => Result<SocketMessage>;

export function createMessageReader(compiler: Compiler): ReadMessage {
  const checks = {
    authenticate: compiler.body(SocketAuthenticate),
    subscribe: compiler.body(SocketSubscribe),
    unsubscribe: compiler.body(SocketUnsubscribe),
  };
  return (text): Result<SocketMessage> => {
    const value = parseJson('The message', text);
    if (!value.ok) return value;
    const type = isJsonObject(value.value) ? value.value['type'] : undefined;
    if (type === 'authenticate') return checks.authenticate(value.value, text.length);
    if (type === 'subscribe') return checks.subscribe(value.value, text.length);
    if (type === 'unsubscribe') return checks.unsubscribe(value.value, text.length);
    return invalidMember('/type', 'is not a message of this service', [
      'subscribe',
      'unsubscribe',
      'authenticate',
    ]);
  };
}
