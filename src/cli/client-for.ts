// The client of commands, whose URL, token and names are arguments.
import { createClient, type ClientOptions } from '../client/index.js';
import type { Countersign } from '../ports/service.js';
import { UsageError } from './usage-error.js';

/** @throws UsageError If the URL, the token or a name is invalid: the caller made a mistake. */
export function clientFor(options: ClientOptions): Countersign {
  try {
    return createClient(options);
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}
