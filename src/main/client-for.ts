// The client of a command that talks to a coordinator elsewhere.
import { UsageError } from '../cli/index.js';
import { createClient } from '../client/index.js';

/** @throws UsageError Where the URL, the token or a name cannot be used: told as what it is, a mistake of the call. */
export function clientFor(options: Parameters<typeof createClient>[0]): ReturnType<typeof createClient> {
  try {
    return createClient(options);
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}
