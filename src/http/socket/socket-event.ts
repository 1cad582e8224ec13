// What a subscription sends, and how it is written.
import type { Refusal } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json.js';
import type { StreamEvent } from '../../ports/api/index.js';
import { problemReply } from '../problem.js';

/** A change of one key, which only subscriptions tell. */
export interface KeyChange {
  readonly id: string;
  readonly event: 'state_key_updated' | 'state_key_deleted';
  readonly data: { readonly key: string; readonly value?: JsonValue; readonly version: number };
}

export type SocketEvent = StreamEvent | KeyChange;

/** Followers at the same place get the same objects: the text is made once for all of them. */
const texts = new WeakMap<SocketEvent, string>();

export function socketText(subscription: string, event: SocketEvent): string {
  let rest = texts.get(event);
  if (rest === undefined) {
    rest = `"type":${JSON.stringify(event.event)},"id":${JSON.stringify(event.id)},"data":${JSON.stringify(event.data)}}`;
    texts.set(event, rest);
  }
  return `{"subscription":${JSON.stringify(subscription)},${rest}`;
}

/** A refusal in the shape of a problem document. */
export function errorText(refusal: Refusal, requestId: string, subscription: string | null): string {
  const problem: unknown = JSON.parse(problemReply(refusal, requestId, false).text ?? '{}');
  return JSON.stringify({
    type: 'error',
    ...(subscription === null ? {} : { subscription }),
    problem,
  });
}
