// What a subscription sends, and how it is written.
import type { Refusal } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json/json.js';
import type { StreamEvent } from '../../ports/api/index.js';
import { problemReply } from '../replies/problem.js';

/** A change of one key, which only subscriptions tell. */
export interface KeyChange {
  readonly id: string;
  readonly event: 'state_key_updated' | 'state_key_deleted';
  readonly data: { readonly key: string; readonly value?: JsonValue; readonly version: number };
}

export type SocketEvent = StreamEvent | KeyChange;

/** Readers at the same place get the same objects: the bytes are made once, and shared by all of them. */
const encoded = new WeakMap<SocketEvent, Buffer>();

/** A message but for its beginning, which names the subscription. */
export function eventRest(event: SocketEvent): Buffer {
  let rest = encoded.get(event);
  if (rest === undefined) {
    rest = Buffer.from(
      `"type":${JSON.stringify(event.event)},"id":${JSON.stringify(event.id)},"data":${JSON.stringify(event.data)}}`,
    );
    encoded.set(event, rest);
  }
  return rest;
}

/** How the messages of a subscription begin. */
export function eventStart(subscription: string): Buffer {
  return Buffer.from(`{"subscription":${JSON.stringify(subscription)},`);
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
