// Reads of a state that wait for a newer version.
import { accepted, invalidMember, type Outcome } from '../../../domain/errors.js';
import type { StateGetQuery } from '../../../ports/api/index.js';
import type { NewsOptions } from '../../../ports/service.js';
import type { Soon } from '../../../ports/soon.js';
import type { CallerCall } from '../../route.js';
import { parseWaitMs } from './wait.js';

/**
 * @returns The wait that the query asks for, `undefined` for none; or `invalid_request` if the query contradicts
 * itself.
 */
export function newsOptions(query: StateGetQuery, waitMsMax: number): Outcome<NewsOptions | undefined> {
  const { after_version: afterVersion, at_version: atVersion, wait } = query;
  if (afterVersion === undefined) {
    if (wait === undefined) return accepted(undefined);
    return invalidMember('/query/wait', 'needs after_version', 'after_version: the version that you have');
  }
  if (atVersion !== undefined) {
    return invalidMember('/query/at_version', 'contradicts after_version', 'one of the two');
  }
  return accepted({ afterVersion, waitMs: parseWaitMs(wait, waitMsMax) });
}

/** Reads. A read that waits ends as soon as the caller disconnects or loses its access, or the server stops. */
export function awaiting<T>(
  { exchange, actor }: Pick<CallerCall<unknown, unknown>, 'exchange' | 'actor'>,
  news: NewsOptions | undefined,
  read: (news: NewsOptions | undefined) => Soon<Outcome<T>>,
): Soon<Outcome<T>> {
  if (news === undefined) return read(undefined);
  return exchange.waiting(actor, async (signal) => read({ ...news, signal }));
}
