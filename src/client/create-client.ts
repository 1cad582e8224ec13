// The service over HTTP: the same interface that `service/` implements on a store.
import type { Countersign } from '../ports/service.js';
import { clientOver } from './client-over.js';
import type { ClientOptions } from './options.js';
import { createTransport } from './transport/transport.js';

/**
 * A Countersign service, as the caller whom the options name. Refusals come back as values, after whatever retry can
 * help (see `ClientOptions.retry`).
 *
 * Every call throws `ConnectionError` where no answer of the service came back.
 *
 * @throws TypeError Where the URL, token or name cannot be used.
 */
export function createClient(options: ClientOptions): Countersign {
  return clientOver(createTransport(options));
}
