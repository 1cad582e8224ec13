// The messages of a subscription and their encoding.
import type { Failure } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json/json.js';
import type { StreamEvent } from '../../ports/api/index.js';
import { problemReply } from './problem.js';

/** A change of one key, which only subscriptions send. */
interface KeyChange {
  readonly id: string;
  readonly event: 'state_key_updated' | 'state_key_deleted';
  readonly data: { readonly key: string; readonly value?: JsonValue; readonly version: number };
}

export type SocketEvent = StreamEvent | KeyChange;

/** The start of all messages of a subscription. */
export function eventStart(subscription: string): Buffer {
  return Buffer.from(`{"subscription":${JSON.stringify(subscription)},`);
}

/** A failure in the form of a problem document. */
export function errorText(failure: Failure, requestId: string, subscription: string | null): string {
  const problem: unknown = JSON.parse(problemReply(failure, requestId, false).text ?? '{}');
  return JSON.stringify({
    type: 'error',
    ...(subscription === null ? {} : { subscription }),
    problem,
  });
}
