// The service interface over HTTP: the same interface that `service/` implements on a store.
import type { Countersign } from '../ports/service.js';
import { clientOver } from './client-over.js';
import type { ClientOptions } from './transport/options.js';
import { createTransport } from './transport/transport.js';

/**
 * Creates a client for one service, acting as the caller that the options identify. Failures are returned as
 * values, after retries (see `ClientOptions.retry`).
 *
 * Every call throws `ConnectionError` if no reply of the service arrives.
 *
 * @example
 * ```ts
 * const client = createClient({ url: 'http://127.0.0.1:4717', token });
 * const read = await client.states.get(stateId);
 * if (!read.ok) console.error(read.failure.error, read.failure.detail);
 * ```
 *
 * @throws TypeError If the URL, token or name is invalid.
 */
export function createClient(options: ClientOptions): Countersign {
  return clientOver(createTransport(options));
}
