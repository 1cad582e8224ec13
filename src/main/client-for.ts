// The client of commands that talk to a coordinator in another process.
import { UsageError } from '../cli/index.js';
import { createClient } from '../client/index.js';

/** @throws UsageError If the URL, the token or a name is invalid: the caller made a mistake. */
export function clientFor(options: Parameters<typeof createClient>[0]): ReturnType<typeof createClient> {
  try {
    return createClient(options);
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}
